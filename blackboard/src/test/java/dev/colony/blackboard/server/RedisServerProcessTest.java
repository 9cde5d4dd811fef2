package dev.colony.blackboard.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisServerProcessTest {

  @TempDir Path temp;

  @Test
  void killedServerComesBackOnItsPortWithWhatItAcknowledged() {
    try (TestRedis redis = TestRedis.start()) {
      int port = redis.port();
      long pid = redis.server().pid();
      set(redis.uri(), "kept", "yes");

      redis.kill();
      assertThat(redis.server().alive()).isFalse();
      redis.ensure();

      assertThat(redis.port()).isEqualTo(port);
      assertThat(redis.server().pid()).isNotEqualTo(pid);
      assertThat(get(redis.uri(), "kept")).isEqualTo("yes");
    }
  }

  @Test
  void stoppedServerKeepsItsDataAndPort() {
    try (TestRedis redis = TestRedis.start(Fsync.NO)) {
      int port = redis.port();
      set(redis.uri(), "kept", "yes");
      redis.stop();
      assertThat(RedisServerProcess.find(redis.settings())).isEmpty();
      redis.ensure();
      assertThat(redis.port()).isEqualTo(port);
      assertThat(get(redis.uri(), "kept")).isEqualTo("yes");
    }
  }

  @Test
  void newServerBeginsWithTheSnapshotThatLiesThereAndKeepsWhatComesAfter() throws Exception {
    Path state = Files.createDirectories(temp.resolve("restored"));
    try (TestRedis redis = TestRedis.start()) {
      set(redis.uri(), "kept", "yes");
      new RedisShell(redis.port()).command("SAVE");
      Files.copy(redis.server().directory().resolve("dump.rdb"), state.resolve("dump.rdb"));
    }
    // What a server leaves that is killed before it has written its first append-only file.
    Files.createFile(state.resolve("appendonly.aof"));
    ServerSettings settings = ServerSettings.in(state).withCarried(true);
    RedisServerProcess restored = RedisServerProcess.ensure(settings);
    try {
      assertThat(get(restored.uri(), "kept")).isEqualTo("yes");
      set(restored.uri(), "later", "too");
      ProcessHandle process = ProcessHandle.of(restored.pid()).orElseThrow();
      process.destroyForcibly();
      process.onExit().join();
      restored = RedisServerProcess.ensure(settings);
      assertThat(get(restored.uri(), "kept")).isEqualTo("yes");
      assertThat(get(restored.uri(), "later")).isEqualTo("too");
    } finally {
      restored.stop();
    }
  }

  @Test
  void thoseWhoComeTogetherShareOneServer() {
    ServerSettings settings = ServerSettings.in(temp.resolve("state"));
    List<CompletableFuture<RedisServerProcess>> callers = new ArrayList<>();
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      for (int i = 0; i < 6; i++) {
        callers.add(
            CompletableFuture.supplyAsync(() -> RedisServerProcess.ensure(settings), threads));
      }
    }
    List<RedisServerProcess> servers = callers.stream().map(CompletableFuture::join).toList();
    try {
      assertThat(servers).extracting(RedisServerProcess::pid).containsOnly(servers.get(0).pid());
      assertThat(RedisServerProcess.find(settings))
          .get()
          .extracting(RedisServerProcess::pid)
          .isEqualTo(servers.get(0).pid());
    } finally {
      servers.get(0).stop();
    }
  }

  @Test
  void serverIsInASessionOfItsOwn() throws Exception {
    try (TestRedis redis = TestRedis.start()) {
      Path stat = Path.of("/proc", Long.toString(redis.server().pid()), "stat");
      org.junit.jupiter.api.Assumptions.assumeTrue(Files.exists(stat), "needs /proc");
      String[] fields = Files.readString(stat).split(" ");
      assertThat(fields[5]).as("session").isNotEqualTo(sessionOf(ProcessHandle.current().pid()));
    }
  }

  @Test
  void serverWantsThePasswordThatItsOwnerAloneCanRead() throws Exception {
    Path state = temp.resolve("state");
    ServerSettings settings = ServerSettings.in(state).withCarried(true);
    RedisServerProcess server = RedisServerProcess.ensure(settings);
    try {
      String password = Files.readString(state.resolve("redis.password")).strip();
      assertThat(password).hasSizeGreaterThanOrEqualTo(32);
      assertThat(server.uri()).isEqualTo("redis://:" + password + "@" + server.address());
      assertThatThrownBy(() -> new RedisShell(server.port()).command("PING"))
          .hasMessageContaining("NOAUTH");
      set(server.uri(), "kept", "yes");
      new RedisShell(server.port()).commands("AUTH " + password, "SAVE");

      assertThat(permissions(state)).isEqualTo("rwx------");
      try (Stream<Path> files = Files.list(state)) {
        for (Path file :
            files
                .filter(it -> !it.getFileName().toString().matches("redis-.*|redis\\.lock"))
                .toList()) {
          assertThat(permissions(file)).as(file.toString()).isEqualTo("rw-------");
        }
      }
      assertThat(Files.readString(state.resolve("redis.log"))).doesNotContain(password);
      Path arguments = Path.of("/proc", Long.toString(server.pid()), "cmdline");
      if (Files.exists(arguments)) {
        assertThat(Files.readString(arguments)).contains("redis").doesNotContain(password);
      }

      assertThat(RedisServerProcess.find(settings))
          .get()
          .extracting(RedisServerProcess::uri)
          .isEqualTo(server.uri());
      assertThat(RedisServerProcess.uriOf(state)).contains(server.uri());
      ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
      process.destroyForcibly();
      process.onExit().join();
      RedisServerProcess again = RedisServerProcess.ensure(settings);
      assertThat(again.uri()).isEqualTo(server.uri());
      assertThat(get(again.uri(), "kept")).isEqualTo("yes");
    } finally {
      RedisServerProcess.find(settings).ifPresent(RedisServerProcess::stop);
    }
  }

  @Test
  void serverThatRunsWithoutAPasswordIsFoundAndGetsOneAtItsNextStart() {
    ServerSettings settings = ServerSettings.in(temp.resolve("state")).withCarried(true);
    RedisServerProcess open = RedisServerProcess.ensure(settings.withoutPassword());
    assertThat(open.uri()).isEqualTo("redis://" + open.address());
    RedisServerProcess found = RedisServerProcess.ensure(settings);
    try {
      assertThat(found.pid()).isEqualTo(open.pid());
      set(found.uri(), "kept", "yes");
    } finally {
      found.stop();
    }
    RedisServerProcess closed = RedisServerProcess.ensure(settings);
    try {
      assertThat(closed.uri()).isNotEqualTo("redis://" + closed.address());
      assertThat(get(closed.uri(), "kept")).isEqualTo("yes");
    } finally {
      closed.stop();
    }
  }

  @Test
  void passwordThatIsLostWhileTheServerRunsIsNamed() throws Exception {
    ServerSettings settings = ServerSettings.in(temp).withCarried(true);
    RedisServerProcess server = RedisServerProcess.ensure(settings);
    Path file = temp.resolve("redis.password");
    String password = Files.readString(file);
    try {
      Files.writeString(file, "");
      assertRefused(settings, file + " is empty: write there what stands behind requirepass in ");
      Files.writeString(file, "another");
      assertRefused(settings, file + " holds another: write there");
      Files.delete(file);
      assertRefused(settings, "(pid " + server.pid() + ") wants a password, and " + file);
      assertThatThrownBy(() -> RedisServerProcess.find(settings))
          .hasMessageContaining(file + " is missing: write there");
      Files.delete(temp.resolve("redis.pid"));
      assertRefused(settings, "port " + server.port() + " wants a password, and " + file);

      assertThat(Files.readString(temp.resolve("redis.conf"))).contains("requirepass " + password);
      Files.writeString(file, password);
      assertThat(RedisServerProcess.ensure(settings).pid()).isEqualTo(server.pid());
    } finally {
      ProcessHandle.of(server.pid()).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void directoryOfAnOlderServerIsClosedAndASharedOneIsLeftAlone() throws Exception {
    Path ours = Files.createDirectory(temp.resolve("ours"));
    Files.writeString(ours.resolve("redis.port"), "29997");
    Path shared = Files.createDirectory(temp.resolve("shared"));
    for (Path folder : List.of(ours, shared)) {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
      RedisServerProcess.ensure(ServerSettings.in(folder).withCarried(true)).stop();
    }
    assertThat(permissions(ours)).isEqualTo("rwx------");
    assertThat(permissions(shared)).isEqualTo("rwxr-xr-x");
  }

  @Test
  void takenPortIsNamed() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      ServerSettings settings = ServerSettings.in(temp).withPort(taken.getLocalPort());
      assertRefused(settings, "port " + taken.getLocalPort() + " for Redis is taken");
    }
  }

  @Test
  void otherPortThanTheRunningOneIsRefused() {
    try (TestRedis redis = TestRedis.start()) {
      assertRefused(
          redis.settings().withPort(1),
          "already runs on port " + redis.port() + ", but port 1 was asked for");
    }
  }

  @Test
  void directoryThatIsAFileIsNamed() throws Exception {
    Path file = Files.writeString(temp.resolve("file"), "");
    assertRefused(ServerSettings.in(file), file.toString());
  }

  @Test
  void brokenDataAreNotStartedWith() throws Exception {
    Files.writeString(temp.resolve("appendonly.aof"), "this is no append-only file\n");
    assertRefused(
        ServerSettings.in(temp).withCarried(true),
        temp.resolve("appendonly.aof") + " is damaged at byte 0");
  }

  @Test
  void dataOfANewerServerAreNotIgnored() throws Exception {
    Files.createDirectory(temp.resolve("appendonlydir"));
    assertRefused(ServerSettings.in(temp).withCarried(true), "written by Redis 7");
  }

  @Test
  void silentServerIsNotDoubled() {
    try (TestRedis redis = TestRedis.start()) {
      redis.pause();
      try {
        Duration soon = Duration.ofMillis(300);
        assertRefused(redis.settings().withTimeouts(soon, soon), "does not answer");
      } finally {
        redis.resume();
      }
    }
  }

  @Test
  void staleFilesOfAnotherMachineDoNotMatter() throws Exception {
    Files.writeString(temp.resolve("redis.pid"), Long.toString(ProcessHandle.current().pid()));
    Files.setLastModifiedTime(
        temp.resolve("redis.pid"), java.nio.file.attribute.FileTime.fromMillis(0));
    Files.writeString(temp.resolve("redis.port"), "29998");
    RedisServerProcess server = RedisServerProcess.ensure(ServerSettings.in(temp));
    assertThat(server.alive()).isTrue();
    server.stop();
    assertThat(server.alive()).isFalse();
  }

  @Test
  void badSettingsAreNamed() {
    assertThatThrownBy(() -> ServerSettings.in(temp).withPort(70_000))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the port is 70000, but must be 0 to 65535");
  }

  private static void assertRefused(ServerSettings settings, String words) {
    assertThatThrownBy(() -> RedisServerProcess.ensure(settings))
        .isInstanceOf(BlackboardException.class)
        .hasMessageContaining(words)
        .message()
        .doesNotContain("\n");
  }

  private static String permissions(Path path) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static String sessionOf(long pid) throws Exception {
    return Files.readString(Path.of("/proc", Long.toString(pid), "stat")).split(" ")[5];
  }

  private static void set(String uri, String key, String value) {
    RedisClient client = RedisClient.create(uri);
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      connection.sync().set(key, value);
    } finally {
      client.shutdown();
    }
  }

  private static String get(String uri, String key) {
    RedisClient client = RedisClient.create(uri);
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      return connection.sync().get(key);
    } finally {
      client.shutdown();
    }
  }
}
