package dev.colony.cli.chaos;

import dev.colony.node.Started;
import dev.colony.server.node.LoopbackPorts;
import java.util.ArrayList;
import java.util.List;

/**
 * Hosts, each an address of the loopback interface, with a {@link Gate} before each: what goes from
 * one host to another passes the gate of the other, which knows from whom it comes.
 */
final class Network implements AutoCloseable {

  private final Started started = new Started();
  private final List<ChaosCluster.Address> addresses = new ArrayList<>();
  private final List<Gate> gates = new ArrayList<>();

  Network() {
    this(ChaosCluster.NODES);
  }

  Network(int hosts) {
    List<Integer> ports = LoopbackPorts.free(hosts);
    for (int i = 0; i < hosts; i++) {
      String host = "127.0.0." + (11 + i);
      Gate gate = started.add(new Gate(host, 0, host, ports.get(i)));
      gates.add(gate);
      addresses.add(new ChaosCluster.Address(host, gate.port(), host, ports.get(i)));
    }
  }

  /** Where the nodes listen, and at which gates the others reach them. */
  List<ChaosCluster.Address> addresses() {
    return List.copyOf(addresses);
  }

  /** Cuts a host off from all others, in both directions. */
  void isolate(int host) {
    for (int other = 0; other < gates.size(); other++) {
      if (other != host) {
        silence(host, other);
        silence(other, host);
      }
    }
  }

  /**
   * Lets nothing through that goes over the connections from one host to another; a connection
   * carries messages one way.
   */
  void silence(int from, int to) {
    gates.get(to).silence(addresses.get(from).host());
  }

  /** Lets everything through again. */
  void heal() {
    gates.forEach(Gate::unsilence);
  }

  @Override
  public void close() {
    started.close();
  }
}
