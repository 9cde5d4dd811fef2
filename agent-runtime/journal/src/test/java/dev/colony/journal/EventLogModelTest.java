package dev.colony.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.server.TestRedis;
import dev.colony.journal.JournalException.FencedException;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Random histories of two writers replay to what a map of sequence numbers says. */
class EventLogModelTest {

  private static TestLog log;

  @BeforeContainer
  static void connect() {
    log = new TestLog(TestRedis.shared().uri());
  }

  @AfterContainer
  static void disconnect() {
    log.close();
  }

  /** One step; {@code writer} is 0 or 1. */
  sealed interface Step {
    /** Appends where this writer believes the log to end. */
    record Append(int writer, int count) implements Step {}

    /** Sends this writer's last append once more. */
    record Repeat(int writer) implements Step {}

    /** A rejected event. */
    record Reject(int writer) implements Step {}

    /** The writer starts anew and reads where the log ends. */
    record Restart(int writer) implements Step {}

    /** Deletes so many of what is there. */
    record Delete(int count) implements Step {}
  }

  @Property(tries = 60)
  void historiesReplayToTheModel(@ForAll("histories") List<Step> history) {
    Model model = new Model("model-" + UUID.randomUUID());
    history.forEach(model::take);
    model.check();
  }

  @Provide
  Arbitrary<List<Step>> histories() {
    Arbitrary<Integer> writer = Arbitraries.integers().between(0, 1);
    return Arbitraries.<Step>frequencyOf(
            Tuple.of(
                6,
                Combinators.combine(writer, Arbitraries.integers().between(1, 5))
                    .as(Step.Append::new)),
            Tuple.of(2, writer.map(Step.Repeat::new)),
            Tuple.of(2, writer.map(Step.Reject::new)),
            Tuple.of(3, writer.map(Step.Restart::new)),
            Tuple.of(1, Arbitraries.integers().between(0, 4).map(Step.Delete::new)))
        .list()
        .ofMaxSize(30)
        .map(List::copyOf);
  }

  private static final class Model {

    private final String id;
    private final TreeMap<Long, String> stored = new TreeMap<>();
    private final Writer[] writers = {new Writer(), new Writer()};
    private long last;
    private long deleted;
    private int made;

    Model(String id) {
      this.id = id;
    }

    void take(Step step) {
      switch (step) {
        case Step.Append append -> append(writers[append.writer()], append.count());
        case Step.Repeat repeat -> repeat(writers[repeat.writer()]);
        case Step.Reject reject -> reject(writers[reject.writer()]);
        case Step.Restart restart -> writers[restart.writer()] = new Writer(log.highest(id));
        case Step.Delete delete -> delete(Math.min(last, deleted + delete.count()));
      }
    }

    void check() {
      assertThat(log.highest(id)).isEqualTo(last);
      assertThat(log.replay(id))
          .containsExactlyElementsOf(
              stored.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList());
    }

    private void append(Writer writer, int count) {
      String[] events = new String[count];
      for (int i = 0; i < count; i++) {
        events[i] = "e" + made++;
      }
      long from = writer.last + 1;
      if (from == last + 1) {
        log.append(id, from, writer.uuid, events);
        for (int i = 0; i < count; i++) {
          stored.put(from + i, events[i]);
        }
        last += count;
        writer.wrote(from, events);
      } else {
        assertThatThrownBy(() -> log.append(id, from, writer.uuid, events))
            .isInstanceOf(FencedException.class);
      }
    }

    private void repeat(Writer writer) {
      if (writer.events.length > 0 && writer.from > deleted) {
        log.append(id, writer.from, writer.uuid, writer.events);
      }
    }

    private void reject(Writer writer) {
      if (writer.last == last) {
        log.appendGap(id, last + 1, writer.uuid);
        last++;
        writer.wrote(last, new String[0]);
        writer.last = last;
      }
    }

    private void delete(long to) {
      TestLog.await(log.log.delete(id, to));
      deleted = Math.max(deleted, to);
      stored.headMap(to, true).clear();
    }
  }

  /** What a writer remembers. */
  private static final class Writer {
    private final String uuid = UUID.randomUUID().toString();
    private long last;
    private long from;
    private String[] events = {};

    Writer() {}

    Writer(long last) {
      this.last = last;
    }

    void wrote(long from, String[] events) {
      this.from = from;
      this.events = events;
      this.last = from + events.length - 1;
    }
  }
}
