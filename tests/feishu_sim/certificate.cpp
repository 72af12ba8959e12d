#include "tests/feishu_sim/certificate.hpp"

#include <cstdio>
#include <memory>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

namespace kb::feishu_sim {
namespace {

template <auto release>
struct With {
  template <class T>
  void operator()(T* thing) const noexcept {
    release(thing);
  }
};
using Key = std::unique_ptr<EVP_PKEY, With<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, With<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, With<X509_EXTENSION_free>>;
using File = std::unique_ptr<FILE, With<std::fclose>>;

bool extend(X509* certificate, int what, char const* value) {
  Extension const extension(X509V3_EXT_conf_nid(nullptr, nullptr, what, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

Certificate self_signed(EVP_PKEY* key) {
  constexpr long kMonth = 30L * 24 * 3600;
  Certificate made(X509_new());
  X509* const c = made.get();
  X509_NAME* const name = X509_get_subject_name(c);
  auto const* const common_name = reinterpret_cast<unsigned char const*>("localhost");
  bool const good = X509_set_version(c, X509_VERSION_3) == 1 && ASN1_INTEGER_set(X509_get_serialNumber(c), 1) == 1 &&
                    X509_gmtime_adj(X509_getm_notBefore(c), -3600) != nullptr &&
                    X509_gmtime_adj(X509_getm_notAfter(c), kMonth) != nullptr && X509_set_pubkey(c, key) == 1 &&
                    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common_name, -1, -1, 0) == 1 &&
                    X509_set_issuer_name(c, name) == 1 && extend(c, NID_basic_constraints, "critical,CA:TRUE") &&
                    extend(c, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1") &&
                    X509_sign(c, key, EVP_sha256()) > 0;
  return good ? std::move(made) : nullptr;
}

}  // namespace

Result<void> write_certificate(std::filesystem::path const& chain, std::filesystem::path const& key) {
  Key const secret(EVP_EC_gen("P-256"));
  Certificate const certificate = secret ? self_signed(secret.get()) : nullptr;
  if (!certificate) return Error(Errc::corrupt, "making a certificate: the library refuses");
  File const chain_file(std::fopen(chain.c_str(), "w"));
  if (!chain_file || PEM_write_X509(chain_file.get(), certificate.get()) != 1) {
    return Error(Errc::unavailable, "cannot write " + chain.string());
  }
  File const key_file(std::fopen(key.c_str(), "w"));
  if (!key_file || ::chmod(key.c_str(), S_IRUSR | S_IWUSR) != 0 ||
      PEM_write_PrivateKey(key_file.get(), secret.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return Error(Errc::unavailable, "cannot write " + key.string());
  }
  return {};
}

}  // namespace kb::feishu_sim
