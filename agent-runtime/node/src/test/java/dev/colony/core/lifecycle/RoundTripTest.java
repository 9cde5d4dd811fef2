package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Whatever is journaled comes back as it was, with every text that may be stored. */
class RoundTripTest {

  private static JournalFormat format;

  @BeforeContainer
  static void open() {
    format = new JournalFormat();
  }

  @AfterContainer
  static void close() {
    format.close();
  }

  @Provide
  Arbitrary<AgentEvent> events() {
    return Events.any();
  }

  @Provide
  Arbitrary<AgentSnapshot> snapshots() {
    return Snapshots.any();
  }

  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void everyEventComesBack(@ForAll("events") AgentEvent event) {
    assertThat(format.read(format.write(event), format.manifest(event), event)).isEqualTo(event);
  }

  @Property(tries = 2_000, edgeCases = EdgeCasesMode.NONE)
  @Tag("faults")
  void manyEventsComeBack(@ForAll("events") AgentEvent event) {
    everyEventComesBack(event);
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void everyStateComesBack(@ForAll("snapshots") AgentSnapshot state) {
    assertThat(format.read(format.write(state), format.manifest(state), state)).isEqualTo(state);
  }

  @Property(tries = 1_000, edgeCases = EdgeCasesMode.NONE)
  @Tag("faults")
  void manyStatesComeBack(@ForAll("snapshots") AgentSnapshot state) {
    everyStateComesBack(state);
  }

  @Example
  void noTypeOfEventIsLeftOut() {
    assertThat(
            Events.ofEachType().stream()
                .map(source -> source.sample().getClass())
                .collect(Collectors.toSet()))
        .isEqualTo(Set.of(AgentEvent.class.getPermittedSubclasses()));
  }
}
