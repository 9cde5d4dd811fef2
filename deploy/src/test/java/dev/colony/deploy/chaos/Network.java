package dev.colony.deploy.chaos;

import dev.colony.deploy.Started;
import dev.colony.deploy.local.LoopbackPorts;
import java.util.ArrayList;
import java.util.List;

/**
 * Three hosts, each an address of the loopback interface, with a {@link Gate} before each: what
 * goes from one host to another passes the gate of the other, which knows from whom it comes.
 */
final class Network implements AutoCloseable {

  private final Started started = new Started();
  private final List<ChaosCluster.Address> addresses = new ArrayList<>();
  private final List<Gate> gates = new ArrayList<>();

  Network() {
    List<Integer> ports = LoopbackPorts.free(ChaosCluster.NODES);
    for (int i = 0; i < ChaosCluster.NODES; i++) {
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
        gates.get(other).silence(addresses.get(host).host());
        gates.get(host).silence(addresses.get(other).host());
      }
    }
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
