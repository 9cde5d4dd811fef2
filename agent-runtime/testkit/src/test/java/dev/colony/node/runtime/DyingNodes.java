package dev.colony.node.runtime;

import dev.colony.blackboard.server.TestRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Processes that run a {@link DyingNode} on one Redis. */
final class DyingNodes implements AutoCloseable {

  private final TestRedis redis;
  private final List<Process> nodes = new ArrayList<>();
  private final StringBuffer said = new StringBuffer();

  DyingNodes(TestRedis redis) {
    this.redis = redis;
  }

  /** Returns when the node is up, or has died of what it was to die of. */
  Process start(DyingNode.Death death) throws IOException {
    Process node =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                DyingNode.class.getName(),
                redis.uri(),
                death.name())
            .redirectErrorStream(true)
            .start();
    nodes.add(node);
    BufferedReader lines = node.inputReader();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.equals("up")) {
        Thread.ofVirtual()
            .start(() -> lines.lines().forEach(rest -> said.append(rest).append('\n')));
        return node;
      }
      said.append(line).append('\n');
    }
    if (node.onExit().join().exitValue() == DyingNode.DEAD) {
      return node;
    }
    throw new AssertionError("the process ended early and said:\n" + said);
  }

  /** What they have said, for those who wonder why they died. */
  String said() {
    return said.toString();
  }

  @Override
  public void close() {
    nodes.forEach(Process::destroyForcibly);
  }
}
