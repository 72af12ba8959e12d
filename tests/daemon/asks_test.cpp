#include "daemon/asks.hpp"

#include <doctest/doctest.h>
#include <string>

TEST_CASE("a question or a wish to look something up is for the knowledge base, small talk is not") {
  struct Case {
    std::string text;
    bool asks;
  };
  for (Case const& c : {
           Case{"年假怎么申请？", true},
           Case{"组会什么时候开始", true},
           Case{"帮我查一下上周的决定", true},
           Case{"总结 Atlas 的进展", true},
           Case{"Atlas 上线了吗", true},
           Case{"When is the release?", true},
           Case{"who leads Atlas", true},
           Case{"Show me the roadmap", true},
           Case{"list open risks", true},
           Case{"谢谢！", false},
           Case{"好的，收到", false},
           Case{"早上好", false},
           Case{"thanks a lot", false},
           Case{"LGTM, ship it", false},
           Case{"somehow it works now", false},  // not "how"
           Case{"", false},
       }) {
    CAPTURE(c.text);
    CHECK_EQ(kb::daemon::asks(c.text), c.asks);
  }
}
