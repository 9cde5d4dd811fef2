package dev.colony.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.ResumptionCondition.All;
import dev.colony.agent.ResumptionCondition.AnyOf;
import dev.colony.agent.ResumptionCondition.At;
import dev.colony.agent.ResumptionCondition.ConditionFacts;
import dev.colony.agent.ResumptionCondition.Custom;
import dev.colony.agent.ResumptionCondition.Evaluation;
import dev.colony.agent.ResumptionCondition.Immediate;
import dev.colony.vcm.PageId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class EvaluationTest {

  private static final String COLONY = "c";

  /** Facts as names of things, as the JSON of conditions names them. */
  private record Named(Set<String> so, boolean room, Instant now) implements ConditionFacts {

    @Override
    public boolean ended(AgentId agent) {
      return so.contains(agent.toString());
    }

    @Override
    public boolean resident(PageId page) {
      return so.contains(page.toString());
    }

    @Override
    public boolean come(ResumptionCondition leaf) {
      return so.contains(name(leaf.toJson()));
    }

    static String name(JsonNode leaf) {
      return leaf.path("type").asText()
          + leaf.path("key").asText()
          + leaf.path("request").asText()
          + leaf.path("pattern").asText()
          + leaf.path("time").asText();
    }

    Named and(Named more) {
      Set<String> both = new HashSet<>(so);
      both.addAll(more.so);
      return new Named(both, room || more.room, now.isAfter(more.now) ? now : more.now);
    }
  }

  /** What a condition means, read off its JSON. */
  private static boolean naive(JsonNode condition, Named facts) {
    return switch (condition.path("type").asText()) {
      case "ALL" -> each(condition.path("of")).allMatch(part -> naive(part, facts));
      case "ANY" -> each(condition.path("of")).anyMatch(part -> naive(part, facts));
      case "CHILDREN_COMPLETED" ->
          each(condition.path("agents")).allMatch(one -> facts.so().contains(one.asText()));
      case "PAGES_AVAILABLE" ->
          each(condition.path("pages")).allMatch(one -> facts.so().contains(one.asText()));
      case "RESOURCE_AVAILABLE" -> facts.room();
      case "IMMEDIATE" -> true;
      case "AT" ->
          !facts.now().isBefore(Instant.parse(condition.path("time").asText()))
              || facts.so().contains(Named.name(condition));
      default -> facts.so().contains(Named.name(condition));
    };
  }

  private static Stream<JsonNode> each(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }

  @Property
  void aConditionMeansWhatItsJsonSays(
      @ForAll("conditions") ResumptionCondition condition, @ForAll("facts") Named facts) {
    assertThat(Evaluation.holds(condition, facts)).isEqualTo(naive(condition.toJson(), facts));
    assertThat(ResumptionCondition.fromJson(condition.toJson())).isEqualTo(condition);
  }

  @Property
  void moreFactsNeverMakeAConditionCeaseToHold(
      @ForAll("conditions") ResumptionCondition condition,
      @ForAll("facts") Named some,
      @ForAll("facts") Named more) {
    if (Evaluation.holds(condition, some)) {
      assertThat(Evaluation.holds(condition, some.and(more))).isTrue();
    }
  }

  @Property
  void allAndAnyAreAndAndOr(
      @ForAll("conditions") ResumptionCondition one,
      @ForAll("conditions") ResumptionCondition other,
      @ForAll("facts") Named facts) {
    boolean first = Evaluation.holds(one, facts);
    boolean second = Evaluation.holds(other, facts);
    for (List<ResumptionCondition> parts : List.of(List.of(one, other), List.of(other, one))) {
      assertThat(Evaluation.holds(new All(parts), facts)).isEqualTo(first && second);
      assertThat(Evaluation.holds(new AnyOf(parts), facts)).isEqualTo(first || second);
    }
    assertThat(Evaluation.holds(new All(List.of(one)), facts)).isEqualTo(first);
    assertThat(Evaluation.holds(new AnyOf(List.of(one, new Immediate())), facts)).isTrue();
  }

  @Property
  void changingLeavesKeepsTheirPlaces(@ForAll("conditions") ResumptionCondition condition) {
    assertThat(condition.withLeaves(leaf -> leaf)).isEqualTo(condition);
    assertThat(condition.withLeaves(leaf -> new Custom("x")).leaves())
        .hasSameSizeAs(condition.leaves().toList())
        .containsOnly(new Custom("x"));
  }

  @Example
  void aTimeHoldsFromItselfOn() {
    At at = new At(Conditions.EPOCH);
    assertThat(Evaluation.holds(at, new Named(Set.of(), false, Conditions.EPOCH))).isTrue();
    assertThat(Evaluation.holds(at, new Named(Set.of(), false, Conditions.EPOCH.minusNanos(1))))
        .isFalse();
  }

  @Provide
  Arbitrary<ResumptionCondition> conditions() {
    return Conditions.in(COLONY);
  }

  @Provide
  Arbitrary<Named> facts() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < Conditions.EACH; i++) {
      names.add(Conditions.agent(COLONY, i).toString());
      names.add(Conditions.page(i).toString());
      names.add("CUSTOMsignal-" + i);
      names.add("APPROVALrequest-" + i);
      names.add("EVENTevent-" + i + ":*");
      names.add("AT" + Conditions.EPOCH.plusSeconds(1 + i));
    }
    return Combinators.combine(
            Arbitraries.of(names).set(),
            Arbitraries.of(true, false),
            Arbitraries.integers().between(0, 4).map(Conditions.EPOCH::plusSeconds))
        .as(Named::new);
  }
}
