package dev.colony.node.resumption;

import static dev.colony.node.resumption.ResumptionFixture.join;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.Conditions;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.ResumptionCondition.ConditionFacts;
import dev.colony.agent.ResumptionCondition.Evaluation;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.node.resumption.Resumptions.Trigger;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.PageId;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/**
 * Whatever happens in whichever order, and whichever node dies over it: an agent is woken if and
 * only if its condition held when something happened that it speaks of.
 */
class AnyOrderTest {

  /** Things that happen. */
  private enum What {
    ENDED,
    PAGES,
    EVICTED,
    SIGNAL,
    APPROVAL,
    WRITTEN,
    TIME,
    ROOM,
    SWEEP
  }

  /**
   * @param which of the few agents, pages, names and times
   * @param diesAfter operations after which the node that deals with it dies, and another does it
   *     again; many mean none does
   */
  private record Happening(What what, int which, int diesAfter) {}

  /** What is so, by the test's own account. */
  private static final class Model implements ConditionFacts {
    final Set<AgentId> over = new HashSet<>();
    final Set<PageId> pages = new HashSet<>();
    final Set<ResumptionCondition> come = new HashSet<>();
    boolean room;
    Instant now = Conditions.EPOCH;

    @Override
    public boolean ended(AgentId agent) {
      return over.contains(agent);
    }

    @Override
    public boolean resident(PageId page) {
      return pages.contains(page);
    }

    @Override
    public boolean room() {
      return room;
    }

    @Override
    public Instant now() {
      return now;
    }

    @Override
    public boolean come(ResumptionCondition leaf) {
      return leaf instanceof ResumptionCondition.Event event
          ? come.contains(new ResumptionCondition.Event(event.scope(), event.pattern()))
          : come.contains(leaf);
    }
  }

  @Property(tries = 100)
  void anAgentIsWokenIfAndOnlyIfItsConditionHeld(
      @ForAll("happenings") @Size(max = 12) List<Happening> happenings,
      @ForAll("conditions") ResumptionCondition shape) {
    try (InMemoryBlackboards boards = new InMemoryBlackboards()) {
      ResumptionFixture it = new ResumptionFixture(boards);
      ResumptionCondition until = shape.withLeaves(leaf -> moved(leaf, it.colony));
      AgentId agent = it.agent("waiter");
      for (int i = 0; i < Conditions.EACH; i++) {
        it.isIn(Conditions.agent(it.colony, i), AgentState.RUNNING);
      }
      it.now = Conditions.EPOCH;
      Model model = new Model();
      it.enter(agent, 1, until);
      boolean held = Evaluation.holds(until, model);
      for (Happening one : happenings) {
        happen(it, model, agent, one);
        // A page that comes and goes between two looks need not be known.
        held |= Evaluation.holds(until, model);
        model.room = false;
        assertThat(Set.copyOf(it.met(agent)))
            .as("after %s", one)
            .isEqualTo(held ? Set.of(1L) : Set.of());
      }
      join(it.resumptions.leave(agent, 1));
      assertThat(it.left()).isEmpty();
    }
  }

  private static void happen(ResumptionFixture it, Model model, AgentId agent, Happening one) {
    int which = one.which();
    switch (one.what()) {
      case ENDED -> {
        AgentId awaited = Conditions.agent(it.colony, which);
        model.over.add(awaited);
        it.isIn(awaited, AgentState.STOPPED);
        repeated(it, one, () -> it.resumptions.happened(new Trigger.AgentEnded(awaited)));
      }
      case PAGES -> {
        PageId page = Conditions.page(which);
        model.pages.add(page);
        it.resident.add(page);
        repeated(it, one, () -> it.resumptions.happened(new Trigger.PagesArrived(Set.of(page))));
      }
      case EVICTED -> {
        model.pages.remove(Conditions.page(which));
        it.resident.remove(Conditions.page(which));
      }
      case SIGNAL -> {
        String name = "signal-" + which;
        model.come.add(new ResumptionCondition.Custom(name));
        repeated(it, one, () -> it.resumptions.happened(new Trigger.Signalled(agent, name)));
      }
      case APPROVAL -> {
        String name = "request-" + which;
        model.come.add(new ResumptionCondition.Approved(name));
        repeated(
            it,
            one,
            () -> it.resumptions.happened(new Trigger.Approved(agent, name, new Position(1, 1))));
      }
      case WRITTEN -> {
        model.come.add(
            new ResumptionCondition.Event(it.scope, new KeyGlob("event-" + which + ":*")));
        it.write("someone", "event-" + which + ":x");
        it.deliverWakes();
      }
      case TIME -> {
        Instant time = Conditions.EPOCH.plusSeconds(1 + which);
        if (time.isAfter(model.now)) {
          model.now = time;
          it.now = time;
        }
        repeated(it, one, it.rounds::due);
      }
      case ROOM -> {
        model.room = true;
        repeated(it, one, () -> it.resumptions.happened(new Trigger.CapacityFreed(agent)));
      }
      case SWEEP -> it.sweep();
    }
  }

  private static void repeated(
      ResumptionFixture it, Happening one, Supplier<CompletionStage<?>> work) {
    it.boards.dieAfter(one.diesAfter());
    work.get().handle((done, failure) -> null).toCompletableFuture().join();
    it.boards.live();
    join(work.get());
  }

  /** The condition as it is in another colony. */
  private static ResumptionCondition moved(ResumptionCondition leaf, String colony) {
    return switch (leaf) {
      case ResumptionCondition.ChildrenCompleted children ->
          new ResumptionCondition.ChildrenCompleted(
              children.agents().stream()
                  .map(one -> new AgentId(one.tenant(), colony, one.name()))
                  .toList());
      case ResumptionCondition.Event event ->
          new ResumptionCondition.Event(Conditions.scope(colony), event.pattern(), event.after());
      default -> leaf;
    };
  }

  @Provide
  Arbitrary<ResumptionCondition> conditions() {
    return Conditions.in("anywhere");
  }

  @Provide
  Arbitrary<List<Happening>> happenings() {
    return Combinators.combine(
            Arbitraries.of(What.class),
            Arbitraries.integers().between(0, Conditions.EACH - 1),
            Arbitraries.integers().between(0, 15))
        .as(Happening::new)
        .list();
  }
}
