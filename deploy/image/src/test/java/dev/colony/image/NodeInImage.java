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
 * <p>As root it has the unpacked image for its whole file system, read-only but for {@code /tmp},
 * and is the image's user, as in a container. Who is not root runs the same files where they are,
 * on this machine's C library.
 */
final class NodeInImage implements AutoCloseable {

  /** Standard for what a container's runtime mounts; the shell becomes the JVM. */
  private static final String CONTAINED =
      """
      set -e
      root=$1
      user=$2
      shift 2
      mount --bind "$root" "$root"
      mount -o remount,bind,ro "$root"
      mount -t tmpfs tmpfs "$root/tmp"
      mount -t proc proc "$root/proc"
      mount --rbind /dev "$root/dev"
      exec chroot --userspec="$user" "$root" "$@"
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
    BuiltImage image = BuiltImage.shared();
    Path log = image.tar().resolveSibling(name + ".log");
    ProcessBuilder builder =
        new ProcessBuilder(command(image, OciTarball.read(image.tar()).entryPoint()));
    Map<String, String> environment = new TreeMap<>();
    environment.put("COLONY_NODE_NAME", name);
    environment.put("COLONY_NODE_PORT", Integer.toString(ports.remoting()));
    environment.put("COLONY_MANAGEMENT_PORT", Integer.toString(ports.management()));
    environment.put("COLONY_HTTP_PORT", Integer.toString(ports.http()));
    environment.put("COLONY_REDIS_URL", redisUri);
    environment.put("COLONY_CLUSTER_SIZE", Integer.toString(clusterSize));
    environment.put(
        "COLONY_NODE_CONTACT_POINTS",
        String.join(",", contactPoints.stream().map(port -> "127.0.0.1:" + port).toList()));
    builder.environment().clear();
    builder.environment().putAll(environment);
    return new NodeInImage(
        ports, log, builder.redirectErrorStream(true).redirectOutput(log.toFile()).start());
  }

  /** The command line that runs a program of the image. */
  static List<String> command(BuiltImage image, List<String> program) throws IOException {
    List<String> command = new ArrayList<>();
    if (canContain()) {
      command.addAll(List.of("unshare", "--mount", "sh", "-c", CONTAINED, "contained"));
      command.addAll(List.of(image.unpacked().toString(), Contents.USER));
      command.addAll(program);
      return command;
    }
    String root = image.unpacked().toString();
    command.add(root + program.getFirst());
    for (String word : program.subList(1, program.size())) {
      if (word.equals("@" + Contents.CLASS_PATH)) {
        command.addAll(List.of("-cp", image.jars().classPath(root)));
      } else {
        command.add(word.replace("/opt/", root + "/opt/"));
      }
    }
    return command;
  }

  static boolean canContain() throws IOException {
    return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0
        && new Tool(Path.of("/")).run(List.of("unshare", "--mount", "true")).isPresent();
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
