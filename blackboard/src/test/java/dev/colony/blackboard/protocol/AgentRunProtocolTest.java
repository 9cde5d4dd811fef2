package dev.colony.blackboard.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.key.EntryKey;
import dev.colony.blackboard.key.KeyGlob;
import org.junit.jupiter.api.Test;

class AgentRunProtocolTest {

  @Test
  void keysAreThoseOfTheProtocolAndAreReadBack() {
    assertThat(AgentRunProtocol.requestKey("r-1")).isEqualTo("request:run:r-1");
    assertThat(AgentRunProtocol.resultKey("r-1")).isEqualTo("result:run:r-1");
    assertThat(AgentRunProtocol.eventKey("r-1", "step.3")).isEqualTo("event:run:r-1:step.3");

    assertThat(AgentRunProtocol.requestId("request:run:r-1")).contains("r-1");
    assertThat(AgentRunProtocol.resultId("result:run:r-1")).contains("r-1");
    assertThat(AgentRunProtocol.event("event:run:r-1:step.3"))
        .contains(new AgentRunProtocol.RunEvent("r-1", "step.3"));
    EntryKey.check(AgentRunProtocol.eventKey("r-1", "step.3"));
  }

  @Test
  void patternsMatchTheirKeysAndNoOthers() {
    KeyGlob requests = new KeyGlob(AgentRunProtocol.requestPattern());
    assertThat(requests.matches("request:run:r-1")).isTrue();
    assertThat(requests.matches("result:run:r-1")).isFalse();
    KeyGlob events = new KeyGlob(AgentRunProtocol.eventPattern("r-1"));
    assertThat(events.matches("event:run:r-1:started")).isTrue();
    assertThat(events.matches("event:run:r-12:started")).isFalse();
  }

  @Test
  void otherKeysMeanNothing() {
    assertThat(AgentRunProtocol.requestId("result:run:r-1")).isEmpty();
    assertThat(AgentRunProtocol.requestId("request:run:")).isEmpty();
    assertThat(AgentRunProtocol.requestId("request:run:a:b")).isEmpty();
    assertThat(AgentRunProtocol.resultId("request:run:r-1")).isEmpty();
    assertThat(AgentRunProtocol.event("event:run:r-1")).isEmpty();
    assertThat(AgentRunProtocol.event("event:run:r-1:a:b")).isEmpty();
    assertThat(AgentRunProtocol.event("event:run::a")).isEmpty();
  }

  @Test
  void partsThatWouldBreakAKeyAreRefused() {
    assertThatThrownBy(() -> AgentRunProtocol.requestKey("a:b"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> AgentRunProtocol.eventKey("a", "*"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> AgentRunProtocol.eventPattern(""))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
