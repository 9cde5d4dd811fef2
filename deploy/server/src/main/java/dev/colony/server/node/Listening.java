package dev.colony.server.node;

/**
 * A port of a node.
 *
 * @param address where the others reach it
 * @param bindHost the address that it listens at, with the same port; mostly the one of the former
 */
public record Listening(HostPort address, String bindHost) {

  public static Listening at(String host, int port) {
    return new Listening(new HostPort(host, port), host);
  }

  /** Whether it listens at another address than the one that the others know. */
  boolean boundElsewhere() {
    return !bindHost.equals(address.host());
  }
}
