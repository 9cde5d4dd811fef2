package dev.colony.node.placement;

import dev.colony.vcm.table.NodeAddress;
import org.apache.pekko.actor.Address;

/** Pekko's addresses as the page table names nodes. */
public final class NodeAddresses {

  private NodeAddresses() {}

  /** The node behind an address; {@code self} where that is the local one, which has no host. */
  public static NodeAddress of(Address address, NodeAddress self) {
    return address.hasLocalScope() ? self : of(address);
  }

  /**
   * The node behind a full address.
   *
   * @throws IllegalArgumentException if it has no host or no port
   */
  public static NodeAddress of(Address address) {
    return new NodeAddress(address.getHost().orElse("") + ":" + address.getPort().orElse(0));
  }
}
