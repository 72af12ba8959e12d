#include "tests/support/certificates.hpp"

#include <array>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdexcept>
#include <utility>

namespace kb::test {
namespace {

struct Free {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const noexcept { X509_free(certificate); }
  void operator()(X509_EXTENSION* extension) const noexcept { X509_EXTENSION_free(extension); }
  void operator()(BIO* bio) const noexcept { BIO_free(bio); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Certificate = std::unique_ptr<X509, Free>;

void must(bool done, char const* step) {
  if (!done) throw std::runtime_error(std::string("making a certificate: ") + step);
}

Key new_key() {
  Key key(EVP_EC_gen("P-256"));
  must(key != nullptr, "key");
  return key;
}

void extend(X509* certificate, X509* issuer, int which, std::string const& value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  std::unique_ptr<X509_EXTENSION, Free> const extension(X509V3_EXT_conf_nid(nullptr, &context, which, value.c_str()));
  must(extension != nullptr, value.c_str());
  must(X509_add_ext(certificate, extension.get(), -1) == 1, "extension");
}

Certificate unsigned_certificate(EVP_PKEY* key, std::string const& name, long serial, long valid_seconds) {
  constexpr long kDay = 24 * 3600;
  Certificate certificate(X509_new());
  must(certificate != nullptr, "certificate");
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kDay);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), valid_seconds);
  X509_set_pubkey(certificate.get(), key);
  auto const* const text = reinterpret_cast<unsigned char const*>(name.c_str());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8, text, -1, -1, 0);
  return certificate;
}

template <class Write>
std::string pem(Write write) {
  std::unique_ptr<BIO, Free> const memory(BIO_new(BIO_s_mem()));
  must(memory != nullptr && write(memory.get()) == 1, "PEM");
  std::string text;
  std::array<char, 4096> piece;
  for (int n = 0; (n = BIO_read(memory.get(), piece.data(), static_cast<int>(piece.size()))) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(n));
  }
  return text;
}

std::string pem_of(X509* certificate) {
  return pem([&](BIO* out) { return PEM_write_bio_X509(out, certificate); });
}

std::string pem_of(EVP_PKEY* key) {
  return pem([&](BIO* out) { return PEM_write_bio_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr); });
}

bool is_address(std::string const& host) {
  return host.find_first_not_of("0123456789.") == host.npos || host.find(':') != host.npos;
}

}  // namespace

struct Authority::State {
  Key key = new_key();
  Certificate certificate;
  long issued = 1;
};

Authority::Authority() : state_(std::make_unique<State>()) {
  std::string const name = directory_.path().filename().string();  // two authorities of one name would be taken for one
  state_->certificate = unsigned_certificate(state_->key.get(), name, 1, 3600);
  X509* const own = state_->certificate.get();
  X509_set_issuer_name(own, X509_get_subject_name(own));
  extend(own, own, NID_basic_constraints, "critical,CA:TRUE");
  extend(own, own, NID_key_usage, "critical,keyCertSign");
  must(X509_sign(own, state_->key.get(), EVP_sha256()) != 0, "signature");
  directory_.write("authority.pem", pem_of(own));
}

Authority::~Authority() = default;

Authority::Files Authority::issue(std::string const& host, std::chrono::hours valid) {
  Key const key = new_key();
  X509* const authority = state_->certificate.get();
  Certificate const certificate =
      unsigned_certificate(key.get(), host, ++state_->issued, static_cast<long>(std::chrono::seconds(valid).count()));
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(authority));
  extend(certificate.get(), authority, NID_subject_alt_name, (is_address(host) ? "IP:" : "DNS:") + host);
  must(X509_sign(certificate.get(), state_->key.get(), EVP_sha256()) != 0, "signature");
  std::string const name = std::to_string(state_->issued);
  Files files;
  files.chain = directory_.write(name + ".pem", pem_of(certificate.get()));
  files.key = directory_.write(name + ".key", pem_of(key.get()));
  return files;
}

std::filesystem::path Authority::file() const { return directory_.path() / "authority.pem"; }

}  // namespace kb::test
