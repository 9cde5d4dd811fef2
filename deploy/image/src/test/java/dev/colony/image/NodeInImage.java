package dev.colony.image;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The image's entry point as a process of this machine.
 *
 * <p>As root it has the image's files where they stand in it, on a root file system that is
 * read-only but for {@code /tmp}, and is the image's user, as in a container; the C library is this
 * machine's. Who is not root runs the same files where they are laid out.
 */
final class NodeInImage implements AutoCloseable {

  /** Stands for what a container's runtime mounts; the shell becomes the JVM. */
  private static final String CONTAINED =
      """
      set -e
      image=$1
      user=$2
      shift 2
      mount -t tmpfs tmpfs /opt
      mkdir /opt/java /opt/colony
      mount --bind "$image/opt/java" /opt/java
      mount --bind "$image/opt/colony" /opt/colony
      for folder in /opt /opt/java /opt/colony /; do mount -o remount,bind,ro "$folder"; done
      mount -t tmpfs tmpfs /tmp
      cd /tmp
      exec chroot --userspec="$user" / "$@"
      """;

  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
  private final FreePorts ports;
  private final Path log;
  private final Process process;

  private NodeInImage(FreePorts ports, Path log, Process process) {
    this.ports = ports;
    this.log = log;
    this.process = process;
  }

  /**
   * Starts it.
   *
   * @param clusterSize how many must be there
   * @param contactPoints where the management of the cluster's nodes listens
   */
  static NodeInImage start(
      String name, FreePorts ports, String redisUri, int clusterSize, List<Integer> contactPoints)
      throws IOException {
    Map<String, String> environment = new TreeMap<>();
    environment.put("COLONY_REDIS_URL", redisUri);
    environment.put("COLONY_CLUSTER_SIZE", Integer.toString(clusterSize));
    environment.put(
        "COLONY_NODE_CONTACT_POINTS",
        String.join(",", contactPoints.stream().map(port -> "127.0.0.1:" + port).toList()));
    return start(name, ports, environment);
  }

  /** The same with these variables, beside its name and its ports. */
  static NodeInImage start(String name, FreePorts ports, Map<String, String> variables)
      throws IOException {
    LaidOutImage image = LaidOutImage.shared();
    Path log = image.root().resolveSibling(name + ".log");
    ProcessBuilder builder = new ProcessBuilder(command(image, new Dockerfile().entryPoint()));
    Map<String, String> environment = new TreeMap<>(variables);
    environment.put("COLONY_NODE_NAME", name);
    environment.put("COLONY_NODE_PORT", Integer.toString(ports.remoting()));
    environment.put("COLONY_MANAGEMENT_PORT", Integer.toString(ports.management()));
    environment.put("COLONY_HTTP_PORT", Integer.toString(ports.http()));
    builder.environment().clear();
    builder.environment().putAll(environment);
    return new NodeInImage(
        ports, log, builder.redirectErrorStream(true).redirectOutput(log.toFile()).start());
  }

  /** The command line that runs a program of the image. */
  static List<String> command(LaidOutImage image, List<String> program) throws IOException {
    String root = image.root().toString();
    if (canContain()) {
      List<String> command =
          new ArrayList<>(List.of("unshare", "--mount", "sh", "-c", CONTAINED, "contained", root));
      command.add(new Dockerfile().argument("USER"));
      command.addAll(program);
      return command;
    }
    String classPath =
        Files.readAllLines(image.root().resolve("opt/colony/application/class.path")).get(1);
    List<String> command = new ArrayList<>();
    for (String word : program) {
      if (word.endsWith("/class.path")) {
        command.addAll(List.of("-cp", classPath.replace("/opt/", root + "/opt/")));
      } else {
        command.add(word.replace("/opt/", root + "/opt/"));
      }
    }
    return command;
  }

  static boolean canContain() throws IOException {
    return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0
        && new ProcessBuilder("unshare", "--mount", "true").start().onExit().join().exitValue()
            == 0;
  }

  /**
   * The status of an answer of the management; 0 while there is none.
   *
   * @throws IllegalStateException if the node has ended, with its log
   */
  int status(String path) {
    if (!process.isAlive()) {
      throw new IllegalStateException("ended with " + process.exitValue() + ":\n" + log());
    }
    URI uri = URI.create("http://127.0.0.1:" + ports.management() + path);
    try {
      return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
          .statusCode();
    } catch (IOException none) {
      return 0;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  Process process() {
    return process;
  }

  String log() {
    try {
      return Files.readString(log);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    http.close();
  }
}
