package dev.colony.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Building is told to end in the midst of it: no process goes on, and no file is left. */
@Tag("faults")
class InterruptedImageTest {

  private static final Duration LONGEST = Duration.ofMinutes(3);
  private static final Duration NOTICED_WITHIN = Duration.ofSeconds(30);

  @TempDir private Path folder;

  private enum Moment {
    /** jlink writes the Java runtime. */
    LINKING,
    /** A node runs on a Redis server of its own. */
    TRAINING
  }

  @ParameterizedTest
  @EnumSource
  void itLeavesNothingBehind(Moment moment) throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("tmp"));
    Process builder = start(temporary);
    List<ProcessHandle> started = new ArrayList<>();
    try {
      await()
          .atMost(LONGEST)
          .failFast(() -> assertThat(builder.isAlive()).as(said()).isTrue())
          .until(() -> hasCome(moment, builder, temporary));
      builder.children().forEach(started::add);
      Optional<ProcessHandle> redis =
          redis(temporary).map(RedisServerProcess::pid).flatMap(ProcessHandle::of);
      assertThat(started).isNotEmpty();
      builder.destroy();
      assertThat(builder.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS)).as(said()).isTrue();
      assertThat(started).noneMatch(ProcessHandle::isAlive);
      redis.ifPresent(started::add);
      redis.ifPresent(InterruptedImageTest::awaitEnd);
      assertThat(temporary).isEmptyDirectory();
      assertThat(output()).doesNotExist();
    } finally {
      started.forEach(ProcessHandle::destroyForcibly);
      builder.destroyForcibly().onExit().join();
    }
  }

  /** It is no child of the builder, and another process takes notice of its end. */
  private static void awaitEnd(ProcessHandle redis) {
    await().atMost(NOTICED_WITHIN).until(() -> !redis.isAlive());
  }

  private Process start(Path temporary) throws IOException {
    Path libraries = Files.createDirectory(folder.resolve("libraries"));
    Files.copy(Project.bom(), folder.resolve("bom.json"));
    Jars jars = Project.jars(Files.createDirectory(folder.resolve("ours")));
    for (Path jar :
        Stream.concat(jars.libraries().stream(), jars.application().stream()).toList()) {
      Files.copy(jar, libraries.resolve(jar.getFileName()));
    }
    return new ProcessBuilder(
            BuiltImage.jdk().resolve("bin/java").toString(),
            "-Djava.io.tmpdir=" + temporary,
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "--libraries",
            libraries.toString(),
            "--sources",
            Project.root().toString(),
            "--colony-version",
            "1.2.3",
            "--output",
            output().toString())
        .redirectErrorStream(true)
        .redirectOutput(log().toFile())
        .start();
  }

  private static boolean hasCome(Moment moment, Process builder, Path temporary)
      throws IOException {
    boolean here = moment == Moment.LINKING || redis(temporary).isPresent();
    return here && builder.children().findAny().isPresent();
  }

  /** The server that the node is trained with, once it runs. */
  private static Optional<RedisServerProcess> redis(Path temporary) throws IOException {
    try (Stream<Path> work = Files.list(temporary)) {
      return work.map(one -> one.resolve("training/redis"))
          .filter(Files::isDirectory)
          .findFirst()
          .flatMap(found -> RedisServerProcess.find(ServerSettings.in(found)));
    }
  }

  private Path output() {
    return folder.resolve("image.tar");
  }

  private Path log() {
    return folder.resolve("build.log");
  }

  private String said() throws IOException {
    return Files.readString(log());
  }
}
