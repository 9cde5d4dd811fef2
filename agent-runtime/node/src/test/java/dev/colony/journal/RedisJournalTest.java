package dev.colony.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.server.TestRedis;
import dev.colony.journal.Journal.JournalCount;
import dev.colony.journal.JournalException.DamagedLogException;
import dev.colony.journal.JournalException.FencedException;
import dev.colony.journal.pekko.JournalExtension;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.pekko.Done;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The plugins under real event-sourced actors, with a system that ends and one that comes after.
 */
class RedisJournalTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static TestLog log;

  private final String id = "diary-" + UUID.randomUUID();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private ActorTestKit first;
  private ActorTestKit second;

  @BeforeAll
  static void connect() {
    log = new TestLog(TestRedis.shared().uri());
  }

  @AfterAll
  static void disconnect() {
    log.close();
  }

  @BeforeEach
  void start() {
    first = kit();
    second = kit();
  }

  @AfterEach
  void stop() {
    first.shutdownTestKit();
    second.shutdownTestKit();
  }

  @Test
  void anotherSystemRecoversWhatThisOneKept() {
    ActorRef<Diary.Command> diary = open(first, 0);
    note(first, diary, "a");
    AskPattern.<Diary.Command, Done>ask(
            diary,
            reply -> new Diary.Command.Notes(List.of("b", "c"), reply),
            PATIENCE,
            first.scheduler())
        .toCompletableFuture()
        .join();
    assertThat(read(second, open(second, 0))).isEqualTo("a;b;c;");
  }

  @Test
  void recoversFromASnapshotOnceTheEventsBeforeItAreDeleted() {
    ActorRef<Diary.Command> diary = open(first, 2);
    for (int i = 1; i <= 9; i++) {
      note(first, diary, "n" + i);
    }
    await().atMost(PATIENCE).until(() -> !log.replay(id).contains("4=n4"));
    assertThat(read(second, open(second, 2))).isEqualTo("n1;n2;n3;n4;n5;n6;n7;n8;n9;");
    assertThat(failures).isEmpty();
  }

  @Test
  void aSnapshotAheadOfItsLogStopsTheRecovery() {
    ActorRef<Diary.Command> diary = open(first, 2);
    for (int i = 1; i <= 4; i++) {
      note(first, diary, "n" + i);
    }
    SnapshotArchive archive = JournalExtension.journal(first.system()).snapshots();
    await().atMost(PATIENCE).until(() -> TestLog.await(archive.load(id, ALL)).isPresent());
    log.redis().del(log.events(id), log.meta(id)).toCompletableFuture().join();
    ActorRef<Diary.Command> late = open(second, 2);
    second.createTestProbe().expectTerminated(late, PATIENCE);
    assertThat(failures).hasAtLeastOneElementOfType(DamagedLogException.class);
  }

  @Test
  void eventsAreCountedAndAHoleIsNot() {
    ActorRef<Diary.Command> diary = open(first, 0);
    note(first, diary, "a");
    note(first, diary, "b");
    note(first, diary, "c");
    JournalCount count = JournalExtension.journal(second.system()).count();
    assertThat(TestLog.await(count.byManifest(id)).values()).containsExactly(3L);
    assertThat(TestLog.await(count.byManifest("nobody-" + id))).isEmpty();

    log.redis().xdel(log.events(id), "2-0").toCompletableFuture().join();
    assertThatThrownBy(() -> TestLog.await(count.byManifest(id)))
        .isInstanceOf(DamagedLogException.class);
  }

  @Test
  void aStaleActorIsFenced() {
    ActorRef<Diary.Command> stale = open(first, 0);
    note(first, stale, "a");
    note(second, open(second, 0), "b");
    stale.tell(new Diary.Command.Note("c", first.<Done>createTestProbe().ref()));
    first.createTestProbe().expectTerminated(stale, PATIENCE);
    assertThat(failures).singleElement().isInstanceOf(FencedException.class);
    assertThat(log.replay(id)).containsExactly("1=a", "2=b");
  }

  @Test
  void aRejectedEventLeavesAMarkerAndTheLogGoesOn() {
    ActorRef<Diary.Command> diary = open(first, 0);
    note(first, diary, "a");
    diary.tell(new Diary.Command.Note(new Object(), first.<Done>createTestProbe().ref()));
    first.createTestProbe().expectTerminated(diary, PATIENCE);
    assertThat(failures).singleElement().isInstanceOf(java.io.NotSerializableException.class);
    ActorRef<Diary.Command> next = open(second, 0);
    note(second, next, "b");
    assertThat(log.replay(id)).containsExactly("1=a", "3=b");
  }

  @Test
  void anEventOverTheLimitIsRejected() {
    ActorRef<Diary.Command> diary = open(first, 0);
    String large = "x".repeat(JournalExtension.journal(first.system()).settings().maxEventBytes());
    diary.tell(new Diary.Command.Note(large, first.<Done>createTestProbe().ref()));
    first.createTestProbe().expectTerminated(diary, PATIENCE);
    assertThat(failures)
        .singleElement()
        .satisfies(
            failure -> assertThat(failure).hasMessageContaining("colony.agent.journal.max-event"));
  }

  @Test
  void theIndexKnowsWhoHasWorkOutstanding() {
    OutstandingIndex index = JournalExtension.journal(second.system()).outstanding();
    int slot = index.slotOf(id);
    ActorRef<Diary.Command> diary = open(first, 0);
    note(first, diary, "+begin");
    assertThat(slot(index, slot)).contains(id);
    note(first, diary, "still");
    assertThat(slot(index, slot)).contains(id);
    note(first, diary, "-end");
    assertThat(slot(index, slot)).doesNotContain(id);
    assertThat(read(second, open(second, 0))).isEqualTo("+begin;still;-end;");
    assertThatThrownBy(() -> index.slot(index.slots()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anotherNumberOfSlotsIsRefused() {
    ActorSystem other =
        ActorSystem.create(
            "other", JournalConfig.on(TestRedis.shared().uri(), "colony.agent.journal.slots = 63"));
    try {
      assertThatThrownBy(() -> JournalExtension.journal(other))
          .isInstanceOf(JournalException.class)
          .hasMessageContaining("colony.agent.journal.slots is 63")
          .hasMessageContaining("slots=64");
    } finally {
      other.terminate();
    }
  }

  private static final SnapshotArchive.Bounds ALL =
      new SnapshotArchive.Bounds(0, Long.MAX_VALUE, 0, Long.MAX_VALUE);

  private static ActorTestKit kit() {
    return ActorTestKit.create(JournalConfig.on(TestRedis.shared().uri()));
  }

  private ActorRef<Diary.Command> open(ActorTestKit kit, int snapshotEvery) {
    return kit.spawn(new Diary(id, snapshotEvery, failures));
  }

  private static void note(ActorTestKit kit, ActorRef<Diary.Command> diary, String event) {
    AskPattern.<Diary.Command, Done>ask(
            diary, reply -> new Diary.Command.Note(event, reply), PATIENCE, kit.scheduler())
        .toCompletableFuture()
        .join();
  }

  private static String read(ActorTestKit kit, ActorRef<Diary.Command> diary) {
    return AskPattern.<Diary.Command, String>ask(
            diary, Diary.Command.Read::new, PATIENCE, kit.scheduler())
        .toCompletableFuture()
        .join();
  }

  private static Set<String> slot(OutstandingIndex index, int slot) {
    return TestLog.await(index.slot(slot));
  }
}
