package dev.colony.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.server.TestCertificates;
import dev.colony.blackboard.server.TestRedisCluster;
import dev.colony.blackboard.server.TestSentinel;
import dev.colony.blackboard.server.TestServer;
import dev.colony.blackboard.server.TestUser;
import dev.colony.journal.pekko.JournalExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.apache.pekko.Done;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plugins over other servers than a single one that asks for no password. */
class JournalServersTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int DIARIES = 12;

  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

  @Test
  void clusterKeepsLogsSnapshotsAndTheIndex() {
    keepsAndRecovers(TestRedisCluster.shared().uri());
  }

  @Test
  void userMayDoNoMoreThanTheDocumentsList() {
    try (TestServer server = TestUser.server()) {
      keepsAndRecovers(TestUser.uri(server));
    }
  }

  @Test
  void userWhoMayDoLessIsRefusedBeforeAnythingIsKept() {
    try (TestServer server =
        TestServer.start("user default off", "user few on >secret ~colony:* +@all -sadd -xtrim")) {
      ActorTestKit kit =
          ActorTestKit.create(JournalConfig.on(server.uri().replace("://", "://few:secret@")));
      try {
        assertThatThrownBy(() -> JournalExtension.journal(kit.system()))
            .isInstanceOf(BlackboardException.class)
            .hasMessageContaining("may not run SADD, XTRIM");
      } finally {
        kit.shutdownTestKit();
      }
    }
  }

  @Test
  void tlsIsSetUpAsForTheBlackboard(@TempDir Path temp) {
    TestCertificates certificates = TestCertificates.in(temp);
    try (TestServer server =
        TestServer.start(
            "port 0",
            "tls-port {port}",
            "tls-cert-file " + certificates.file("server.pem"),
            "tls-key-file " + certificates.file("server.key"),
            "tls-ca-cert-file " + certificates.file("ca.pem"),
            "tls-auth-clients no")) {
      keepsAndRecovers(
          server.uri().replace("redis:", "rediss:"),
          "colony.blackboard.redis.tls.ca-file = \"%s\"".formatted(certificates.file("ca.pem")));
    }
  }

  @Test
  void logsGoOnAtAPromotedReplica() {
    try (TestSentinel sentinel = TestSentinel.start()) {
      ActorTestKit kit = ActorTestKit.create(JournalConfig.on(sentinel.uri()));
      try {
        ActorRef<Diary.Command> diary = kit.spawn(new Diary("diary", 0, failures));
        note(kit, diary, "a");
        sentinel.awaitReplicated();
        sentinel.primary().kill();
        note(kit, diary, "b");
        assertThat(read(kit, kit.spawn(new Diary("diary", 0, failures)))).isEqualTo("a;b;");
        assertThat(failures).isEmpty();
      } finally {
        kit.shutdownTestKit();
      }
    }
  }

  /** Enough logs to be on every server of a cluster. */
  private void keepsAndRecovers(String redisUri, String... more) {
    ActorTestKit first = ActorTestKit.create(JournalConfig.on(redisUri, more));
    ActorTestKit second = ActorTestKit.create(JournalConfig.on(redisUri, more));
    try {
      OutstandingIndex index = JournalExtension.journal(second.system()).outstanding();
      for (int i = 0; i < DIARIES; i++) {
        String id = "diary-" + i;
        ActorRef<Diary.Command> diary = first.spawn(new Diary(id, 2, failures));
        IntStream.rangeClosed(1, 5).forEach(n -> note(first, diary, "n" + n));
        note(first, diary, "+work");
        await()
            .atMost(PATIENCE)
            .untilAsserted(() ->
                assertThat(read(second, second.spawn(new Diary(id, 2, failures))))
                    .isEqualTo("n1;n2;n3;n4;n5;+work;"));
        assertThat(TestLog.await(index.slot(index.slotOf(id)))).contains(id);
      }
      assertThat(failures).isEmpty();
    } finally {
      first.shutdownTestKit();
      second.shutdownTestKit();
    }
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
}
