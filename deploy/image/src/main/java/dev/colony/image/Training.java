package dev.colony.image;

import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Makes the AOT cache (JEP 483, JEP 514): a node runs from the unpacked image until it is ready and
 * has answered, against a Redis server of this machine, and ends by SIGTERM; the JVM then writes
 * down what it had loaded and linked.
 *
 * <p>The node runs where the image is unpacked, without a change of the root folder, which only
 * root could make. The JVM takes the cache in the image all the same: it compares the class path
 * below what is common to it.
 */
final class Training {

  private static final Duration READY = Duration.ofMinutes(2);
  private static final int LOGGED_LINES = 30;
  private static final Duration WRITTEN = Duration.ofMinutes(3);

  private final ImageRoot root;
  private final Jars jars;
  private final Path work;

  /**
   * @param root with all layers but the cache
   * @param work an empty folder, for Redis and the node's log
   */
  Training(ImageRoot root, Jars jars, Path work) {
    this.root = root;
    this.jars = jars;
    this.work = work;
  }

  /**
   * Puts the cache into the image's root.
   *
   * @throws ImageFailure if the node does not become ready, or no cache is written; with its log
   */
  void run() throws IOException {
    Path cache = root.inside(Contents.CACHE);
    Files.createDirectories(cache.getParent());
    ServerSettings settings = ServerSettings.in(work.resolve("redis"));
    try (AtExit<RedisServerProcess> redis =
        AtExit.open(() -> RedisServerProcess.ensure(settings), RedisServerProcess::stop)) {
      train(redis.get().uri());
    }
    if (!Files.isRegularFile(cache)) {
      throw failure("wrote no AOT cache");
    }
    root.stamp(Layer.CACHE);
  }

  private void train(String redisUri) throws IOException {
    FreePorts ports = FreePorts.take();
    ProcessBuilder builder = new ProcessBuilder(command());
    builder.environment().clear();
    builder.environment().putAll(environment(redisUri, ports));
    builder.directory(work.toFile()).redirectErrorStream(true).redirectOutput(log().toFile());
    // The end is also that of the JVM which a node that has ended lets write the cache.
    try (AtExit<Process> running = AtExit.open(builder::start, Tool::end)) {
      Process node = running.get();
      NodeExercise.run(ports, node, READY);
      node.destroy();
      if (!node.waitFor(WRITTEN.toSeconds(), TimeUnit.SECONDS)) {
        throw failure("did not end within " + WRITTEN.toMinutes() + " min");
      }
    } catch (IOException unready) {
      throw failure(unready.getMessage());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw ImageFailure.fault("interrupted", interrupted);
    }
  }

  private List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(root.inside(Contents.JAVA_HOME).resolve("bin/java").toString());
    command.addAll(JvmOptions.list());
    command.add("-XX:AOTCacheOutput=" + root.inside(Contents.CACHE));
    command.addAll(List.of("-cp", jars.classPath(root.path().toString()), Contents.MAIN, "node"));
    return command;
  }

  private static Map<String, String> environment(String redisUri, FreePorts ports) {
    return Map.of(
        "COLONY_NODE_NAME", "training",
        "COLONY_NODE_PORT", Integer.toString(ports.remoting()),
        "COLONY_MANAGEMENT_PORT", Integer.toString(ports.management()),
        "COLONY_HTTP_PORT", Integer.toString(ports.http()),
        "COLONY_REDIS_URL", redisUri);
  }

  private Path log() {
    return work.resolve("training.log");
  }

  /**
   * The folder of the log goes with the build, so that what it says of a fault is repeated here.
   */
  private ImageFailure failure(String what) throws IOException {
    List<String> lines = Files.exists(log()) ? Files.readAllLines(log()) : List.of();
    return ImageFailure.fault(
        "the node that trains the AOT cache %s; the end of its log:%n%s"
            .formatted(
                what,
                String.join(
                    System.lineSeparator(),
                    lines.subList(Math.max(0, lines.size() - LOGGED_LINES), lines.size()))));
  }
}
