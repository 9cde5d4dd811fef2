package dev.colony.blackboard.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.protocol.LifecycleSignalProtocol.Given;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LifecycleSignalProtocolTest {

  private final LifecycleSignalProtocol protocol = new LifecycleSignalProtocol();

  @ParameterizedTest
  @EnumSource
  void everySignalIsReadBack(LifecycleSignal signal) {
    String one = protocol.signalKey("reviewer", signal);
    String all = protocol.signalKeyToAll(signal);
    EntryKey.check(one);
    assertThat(protocol.signal(one)).contains(new Given(signal, Optional.of("reviewer")));
    assertThat(protocol.signal(all)).contains(new Given(signal, Optional.empty()));
  }

  @Test
  void theKeysAreThese() {
    assertThat(protocol.signalKey("reviewer", LifecycleSignal.PAGES_EVICTED))
        .isEqualTo("signal:agent:reviewer:pages-evicted");
    assertThat(protocol.signalKeyToAll(LifecycleSignal.STOP)).isEqualTo("signal:all:stop");
  }

  @Test
  void anAgentListensToItsOwnSignalsAndToThoseForAll() {
    assertThat(protocol.inputPatterns("reviewer"))
        .containsExactly(new KeyGlob("signal:agent:reviewer:*"), new KeyGlob("signal:all:*"));
  }

  @Test
  void anAgentNamedAllIsStillOneAgent() {
    String key = protocol.signalKey("all", LifecycleSignal.STOP);
    assertThat(protocol.inputPatterns("reviewer")).noneMatch(glob -> glob.matches(key));
    assertThat(protocol.signal(key)).contains(new Given(LifecycleSignal.STOP, Optional.of("all")));
  }

  @Test
  void unknownSignalsAndOtherKeysAreNone() {
    assertThat(protocol.signal("signal:agent:reviewer:dance")).isEmpty();
    assertThat(protocol.signal("signal:agent:reviewer")).isEmpty();
    assertThat(protocol.signal("request:run:r-1")).isEmpty();
  }
}
