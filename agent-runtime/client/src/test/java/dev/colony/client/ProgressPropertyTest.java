package dev.colony.client;

import static dev.colony.client.HandleContract.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.client.directory.HomeResolver;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Flow;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * A reader comes and goes while a run and its neighbours make events known and old ones are
 * trimmed. What it has had is a beginning of what the run made known, without gap and repeat; it is
 * told that events are gone when they are, and only then, and how many.
 */
class ProgressPropertyTest {

  private static final int KEPT = 64;
  private static final RunId RUN = new RunId("r1");
  private static final String[] NAMES = {"step", "found", "said"};

  /** Something that happens. */
  sealed interface Act {

    /** The run makes something known. */
    record Emit(int name) implements Act {}

    /** Others write so much. */
    record Stir(int times) implements Act {}

    /** The reader comes back, has so many events and goes. */
    record Read(int most) implements Act {}
  }

  @Provide
  Arbitrary<List<Act>> acts() {
    Arbitrary<Act> emit = Arbitraries.integers().between(0, 2).map(Act.Emit::new);
    Arbitrary<Act> stir = Arbitraries.integers().between(1, 200).map(Act.Stir::new);
    Arbitrary<Act> read = Arbitraries.integers().between(1, 5).map(Act.Read::new);
    return Arbitraries.frequencyOf(Tuple.of(6, emit), Tuple.of(1, stir), Tuple.of(2, read))
        .list()
        .ofMaxSize(40);
  }

  @Property(tries = 300)
  void nothingIsRepeatedAndNothingIsMissedUnsaid(@ForAll("acts") List<Act> acts) throws Exception {
    try (InMemoryBlackboards boards =
        new InMemoryBlackboards(
            BlackboardSettings.DEFAULTS.withEvents(
                new BlackboardSettings.Events(KEPT, KEPT, 1 << 20)),
            Clock.systemUTC())) {
      AgentId id = new AgentId("acme", "lab", "a");
      RunOptions options = RunOptions.namespace(PlayedAgent.NAMESPACE);
      AgentHandle agent =
          new BlackboardColony(boards, HomeResolver.byHash(1), HandleContract.CLIENT).agent(id);
      get(agent.run(NullNode.getInstance(), options.runId(RUN)).stored());
      PlayedAgent played = new PlayedAgent(id, boards);
      Reader reader =
          new Reader(
              agent.attach(RUN, options), boards.open(id.scope().namespace("work"), "reader"));
      for (Act act : acts) {
        switch (act) {
          case Act.Emit emit -> {
            played.emit(RUN, NAMES[emit.name()], reader.emitted);
            reader.emitted++;
          }
          case Act.Stir stir -> played.stir(stir.times());
          case Act.Read read -> reader.read(read.most());
        }
      }
      played.complete(RUN, NullNode.getInstance());
      reader.finish();
    }
  }

  /** What a reader has to have, and has. */
  private static final class Reader {

    private final RunHandle run;
    private final Blackboard board;

    /** How many events there were; the data of each is its number. */
    int emitted;

    /** The number of the event that it is to have next. */
    private int next;

    private Optional<String> token = Optional.empty();

    Reader(RunHandle run, Blackboard board) {
      this.run = run;
      this.board = board;
    }

    void read(int most) throws Exception {
      int count = Math.min(most, emitted - next);
      if (count > 0 && !told()) {
        Follower follower = Follower.slow(events());
        follower.request(count);
        take(follower.seenAtLeast(count));
        follower.cancel();
      }
    }

    void finish() throws Exception {
      // Told a second time only where no event is stored to go on from.
      boolean nothingLeft = told() && told();
      next = nothingLeft ? emitted : next;
      Follower follower = Follower.of(nothingLeft ? run.retained() : events()).ended();
      RunProgress end = follower.seen.removeLast();
      take(follower.seen);
      assertThat(end.end()).isPresent();
      assertThat(next).isEqualTo(emitted);
      assertThat(Follower.of(run.events(end.token())).ended().seen).isEmpty();
    }

    /** Where events that it has not had are gone, it is told; then it goes on with the others. */
    private boolean told() throws Exception {
      List<Integer> stored =
          get(board.history(EventFilter.keys("event:run:r1:*"), Position.BEGINNING, 1_000)).stream()
              .map(event -> ((BlackboardEvent.Written) event).value().asInt())
              .filter(number -> number >= next)
              .toList();
      int missing = emitted - next - stored.size();
      if (missing == 0) {
        return false;
      }
      assertThat(Follower.of(events()).failure())
          .isInstanceOf(BlackboardException.class)
          .hasMessageStartingWith(missing + " events of run r1 ");
      if (!stored.isEmpty()) {
        next += missing;
        Follower follower = Follower.slow(run.retained());
        follower.request(1);
        take(follower.seenAtLeast(1));
        follower.cancel();
      }
      return true;
    }

    private Flow.Publisher<RunProgress> events() {
      return token.map(run::events).orElseGet(run::events);
    }

    private void take(List<RunProgress> events) {
      for (RunProgress event : events) {
        assertThat(event.data().asInt()).isEqualTo(next++);
        token = Optional.of(event.token());
      }
    }
  }
}
