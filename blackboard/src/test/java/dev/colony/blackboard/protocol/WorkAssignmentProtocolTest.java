package dev.colony.blackboard.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class WorkAssignmentProtocolTest {

  private final WorkAssignmentProtocol protocol = new WorkAssignmentProtocol();

  @Test
  void aRequestNamesItsWorkerAndTheRestDoesNot() {
    String request = protocol.requestKey("worker-1", "unit-7");
    assertThat(request).isEqualTo("request:work:worker-1:unit-7");
    assertThat(protocol.requestedAgent(request)).contains("worker-1");
    assertThat(protocol.requestId(request)).contains("unit-7");
    assertThat(protocol.resultKey("unit-7")).isEqualTo("result:work:unit-7");
    assertThat(protocol.eventKey("unit-7", "half")).isEqualTo("event:work:unit-7:half");
  }

  @Test
  void aWorkerListensToItsOwnWorkOnly() {
    assertThat(protocol.inputPatterns("worker-1"))
        .containsExactly(new KeyGlob("request:work:worker-1:*"));
    KeyGlob own = protocol.requestPattern("worker-1");
    assertThat(own.matches(protocol.requestKey("worker-1", "unit-7"))).isTrue();
    assertThat(own.matches(protocol.requestKey("worker-10", "unit-7"))).isFalse();
    assertThat(protocol.requestPattern().matches(protocol.requestKey("worker-10", "unit-7")))
        .isTrue();
    assertThatThrownBy(() -> protocol.inputPatterns("*"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("agent must be");
  }

  @Test
  void runsAndWorkOnOneScopeDoNotHearEachOther() {
    AgentRunProtocol runs = new AgentRunProtocol();
    String work = protocol.requestKey("worker-1", "unit-7");
    assertThat(runs.requestPattern().matches(work)).isFalse();
    assertThat(protocol.requestPattern().matches(runs.requestKey("worker-1", "r"))).isFalse();
    assertThat(protocol.resultPattern().matches(runs.resultKey("r"))).isFalse();
  }
}
