package dev.colony.blackboard.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class AgentRunProtocolTest {

  private final AgentRunProtocol protocol = new AgentRunProtocol();

  @Test
  void keysAreReadBack() {
    assertThat(protocol.requestKey("reviewer", "r-1")).isEqualTo("request:run:r-1");
    assertThat(protocol.resultKey("r-1")).isEqualTo("result:run:r-1");
    assertThat(protocol.eventKey("r-1", "step.3")).isEqualTo("event:run:r-1:step.3");

    assertThat(protocol.requestId("request:run:r-1")).contains("r-1");
    assertThat(protocol.requestedAgent("request:run:r-1")).isEmpty();
    assertThat(protocol.resultId("result:run:r-1")).contains("r-1");
    assertThat(protocol.event("event:run:r-1:step.3"))
        .contains(new RequestProtocol.ProgressKey("r-1", "step.3"));
    EntryKey.check(protocol.eventKey("r-1", "step.3"));
  }

  @Test
  void patternsMatchTheKeysOfTheProtocolAndNoOthers() {
    KeyGlob requests = protocol.requestPattern();
    assertThat(requests.matches("request:run:r-1")).isTrue();
    assertThat(requests.matches("result:run:r-1")).isFalse();
    KeyGlob events = protocol.eventPattern("r-1");
    assertThat(events.matches("event:run:r-1:done")).isTrue();
    assertThat(events.matches("event:run:r-10:done")).isFalse();
    assertThat(protocol.resultPattern().matches("result:run:r-1")).isTrue();
    assertThat(protocol.resultPattern().matches("request:run:r-1")).isFalse();
  }

  @Test
  void anAgentListensToAllRequestsOfItsOwnScope() {
    assertThat(protocol.inputPatterns("reviewer")).containsExactly(new KeyGlob("request:run:*"));
  }

  @Test
  void otherKeysAreNotTakenForKeysOfARun() {
    assertThat(protocol.requestId("result:run:r-1")).isEmpty();
    assertThat(protocol.requestId("request:run:")).isEmpty();
    assertThat(protocol.requestId("request:run:a:b")).isEmpty();
    assertThat(protocol.resultId("request:run:r-1")).isEmpty();
    assertThat(protocol.event("event:run:r-1")).isEmpty();
    assertThat(protocol.event("event:run:r-1:a:b")).isEmpty();
    assertThat(protocol.event("event:run::a")).isEmpty();
  }

  @Test
  void partsThatCannotStandInAKeyAreRefused() {
    assertThatThrownBy(() -> protocol.requestKey("reviewer", "a:b"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> protocol.eventKey("a", "*"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> protocol.eventPattern(""))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
