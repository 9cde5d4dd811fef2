package dev.colony.agent;

import dev.colony.agent.ResumptionCondition.Approved;
import dev.colony.agent.ResumptionCondition.At;
import dev.colony.agent.ResumptionCondition.ChildrenCompleted;
import dev.colony.agent.ResumptionCondition.Custom;
import dev.colony.agent.ResumptionCondition.Event;
import dev.colony.agent.ResumptionCondition.Immediate;
import dev.colony.agent.ResumptionCondition.PagesAvailable;
import dev.colony.agent.ResumptionCondition.ResourceAvailable;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.vcm.PageId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** Arbitrary conditions over few agents, pages, names, keys and times, so that parts meet. */
public final class Conditions {

  /** The times begin with the second after this. */
  public static final Instant EPOCH = Instant.parse("2026-11-22T07:00:00Z");

  public static final int EACH = 3;

  private Conditions() {}

  public static Arbitrary<ResumptionCondition> in(String colony) {
    return tree(leaf(colony), 3);
  }

  private static Arbitrary<ResumptionCondition> tree(
      Arbitrary<ResumptionCondition> leaf, int depth) {
    if (depth == 0) {
      return leaf;
    }
    Arbitrary<List<ResumptionCondition>> parts =
        Arbitraries.lazy(() -> tree(leaf, depth - 1)).list().ofMinSize(1).ofMaxSize(3);
    return Arbitraries.oneOf(
        leaf, parts.map(ResumptionCondition.All::new), parts.map(ResumptionCondition.AnyOf::new));
  }

  private static Arbitrary<ResumptionCondition> leaf(String colony) {
    Arbitrary<Integer> one = Arbitraries.integers().between(0, EACH - 1);
    return Arbitraries.oneOf(
        one.list()
            .ofMinSize(1)
            .ofMaxSize(3)
            .map(several ->
                new ChildrenCompleted(several.stream().map(i -> agent(colony, i)).toList())),
        one.list()
            .ofMinSize(1)
            .ofMaxSize(3)
            .map(several -> new PagesAvailable(several.stream().map(Conditions::page).toList())),
        one.map(i -> new Custom("signal-" + i)),
        one.map(i -> new Approved("request-" + i)),
        one.map(i ->
            new Event(
                scope(colony), new KeyGlob("event-" + i + ":*"), Optional.of(Position.BEGINNING))),
        one.map(i -> new At(EPOCH.plusSeconds(1 + i))),
        Arbitraries.of(new ResourceAvailable(), new Immediate()));
  }

  public static AgentId agent(String colony, int number) {
    return new AgentId("acme", colony, "awaited-" + number);
  }

  public static PageId page(int number) {
    return new PageId("abcdefghijklmnopqrstuvwxy" + (char) ('a' + number));
  }

  public static Scope scope(String colony) {
    return Scope.colony("acme", colony);
  }
}
