package dev.colony.server;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Optional;

/**
 * How many files and sockets this process may have open, and how many connections of clients leave
 * enough of them to the rest: Redis, other nodes, model servers, files.
 *
 * @param most that may be open
 * @param open that are
 */
public record Descriptors(long most, long open) {

  /** Of what is free for connections: each may have a call of a model server open. */
  private static final int SHARE = 2;

  private static final int LEAST = 8;

  /** Those of this process, as they are; without a bound where the system does not tell. */
  public static Descriptors ofThisProcess() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? new Descriptors(unix.getMaxFileDescriptorCount(), unix.getOpenFileDescriptorCount())
        : new Descriptors(Long.MAX_VALUE, 0);
  }

  /**
   * How many connections there may be.
   *
   * @param wanted by the configuration
   */
  public int connections(int wanted) {
    return (int) Math.min(wanted, Math.max(LEAST, (most - open) / SHARE));
  }

  /** What an operator is to be told where that is fewer than wanted, in one line. */
  public Optional<String> lowered(int wanted) {
    int connections = connections(wanted);
    return connections == wanted
        ? Optional.empty()
        : Optional.of(
            "a process may have %d files open here: the HTTP API of a node takes %d connections in place of the %d of colony.http.connections; raise the limit (ulimit -n)"
                .formatted(most, connections, wanted));
  }
}
