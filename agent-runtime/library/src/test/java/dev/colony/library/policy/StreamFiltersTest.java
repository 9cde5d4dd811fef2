package dev.colony.library.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.agent.stream.ConsciousnessStream.StreamFilter;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.policy.StreamFilters.ActionKeySubstringFilter;
import dev.colony.library.policy.StreamFilters.AllOf;
import dev.colony.library.policy.StreamFilters.AnyOf;
import dev.colony.library.policy.StreamFilters.EventContextKeyFilter;
import dev.colony.library.policy.StreamFilters.Not;
import dev.colony.library.policy.StreamFilters.SuccessfulActionFilter;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Which entries the stock filters accept, how they compose, and what is refused when bound. */
class StreamFiltersTest {

  private static final Blueprint EVENTS = EventContextKeyFilter.bind("asked", "told");
  private static final Blueprint ACTIONS = ActionKeySubstringFilter.bind("respond", "final");
  private static final Blueprint SUCCESSES = SuccessfulActionFilter.bind(ACTIONS);

  private static boolean accepts(Blueprint filter, StreamEntry entry) {
    AgentTypes types = AgentTypes.installed();
    return types.create(StreamFilter.class, filter, types).accepts(entry);
  }

  private static StreamEntry action(String key, boolean success) {
    return Lived.entry(StreamEntry.ACTION, Map.of("action_key", key, "success", success));
  }

  @Test
  void anEventIsAcceptedByAnyOfItsContexts() {
    assertThat(accepts(EVENTS, Lived.entry(StreamEntry.EVENT, Map.of("x", 1, "told", 2)))).isTrue();
    assertThat(accepts(EVENTS, Lived.entry(StreamEntry.EVENT, Map.of("x", 1)))).isFalse();
    assertThat(accepts(EVENTS, Lived.entry(StreamEntry.ACTION, Map.of("told", 2)))).isFalse();
  }

  @Test
  void anActionIsAcceptedByAPartOfItsKey() {
    assertThat(accepts(ACTIONS, action("chat.respond_to_user", false))).isTrue();
    assertThat(accepts(ACTIONS, action("report.finalize", true))).isTrue();
    assertThat(accepts(ACTIONS, action("report.draft", true))).isFalse();
  }

  @Test
  void aSuccessIsAskedForOnTopOfTheInnerFilter() {
    assertThat(accepts(SUCCESSES, action("report.finalize", true))).isTrue();
    assertThat(accepts(SUCCESSES, action("report.finalize", false))).isFalse();
    assertThat(accepts(SUCCESSES, action("report.draft", true))).isFalse();
    assertThat(
            accepts(SUCCESSES, Lived.entry(StreamEntry.ACTION, Map.of("action_key", "finalize"))))
        .isFalse();
  }

  @Provide
  Arbitrary<StreamEntry> entries() {
    Arbitrary<StreamEntry> events =
        Arbitraries.of("asked", "told", "other")
            .set()
            .map(keys ->
                Lived.entry(
                    StreamEntry.EVENT, keys.stream().collect(Collectors.toMap(k -> k, k -> 1))));
    Arbitrary<StreamEntry> actions =
        Combinators.combine(
                Arbitraries.of("respond", "final", "draft"), Arbitraries.of(true, false))
            .as(StreamFiltersTest::action);
    return Arbitraries.oneOf(events, actions);
  }

  @Provide
  Arbitrary<List<Blueprint>> filters() {
    return Arbitraries.of(EVENTS, ACTIONS, SUCCESSES, Not.bind(EVENTS)).list().ofMaxSize(4);
  }

  @Property
  void compositionIsLogic(
      @ForAll("filters") List<Blueprint> filters, @ForAll("entries") StreamEntry entry) {
    Blueprint[] all = filters.toArray(Blueprint[]::new);
    boolean any = filters.stream().anyMatch(one -> accepts(one, entry));
    boolean every = filters.stream().allMatch(one -> accepts(one, entry));
    assertThat(accepts(AnyOf.bind(all), entry)).isEqualTo(any);
    assertThat(accepts(AllOf.bind(all), entry)).isEqualTo(every);
    assertThat(accepts(Not.bind(AnyOf.bind(all)), entry)).isEqualTo(!any);
    assertThat(accepts(Not.bind(AllOf.bind(all)), entry)).isEqualTo(!every);
  }

  @Test
  void whatIsNoFilterIsRefusedWhenBound() {
    Blueprint formatter = JSONStreamFormatter.bind("## X");
    StreamBlueprint stream = ConsciousnessStream.bind("x", formatter);
    assertThatThrownBy(() -> stream.events(formatter))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("stream.json");
    assertThatThrownBy(() -> stream.actions(Blueprint.of("stream.unheard-of")))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("stream.unheard-of");
    assertThatThrownBy(() -> SuccessfulActionFilter.bind(formatter))
        .isInstanceOf(AgentException.class);
    assertThatThrownBy(() -> AnyOf.bind(ACTIONS, formatter)).isInstanceOf(AgentException.class);
    assertThatThrownBy(() -> Not.bind(formatter)).isInstanceOf(AgentException.class);
    assertThatThrownBy(() -> ConsciousnessStream.bind("x", ACTIONS))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("stream.action-key-substring");
  }

  @Test
  void aKindThatNobodyFeedsIsRefusedWhenBound() {
    StreamBlueprint stream = ConsciousnessStream.bind("x", JSONStreamFormatter.bind("## X"));
    assertThatThrownBy(() -> stream.filter("dream", AllOf.bind()))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("dream");
    assertThat(stream.filter("telemetry", AllOf.bind()).filters()).containsKey("telemetry");
  }

  @Test
  void aFilterThatLooksForNothingIsRefused() {
    assertThatThrownBy(() -> EventContextKeyFilter.bind())
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ActionKeySubstringFilter.bind("a", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("substrings");
  }
}
