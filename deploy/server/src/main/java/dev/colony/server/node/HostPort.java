package dev.colony.server.node;

/**
 * Where something listens.
 *
 * @param port 1 to 65535
 */
public record HostPort(String host, int port) {

  private static final int HIGHEST = 65_535;

  public HostPort {
    if (host.isBlank() || port < 1 || port > HIGHEST) {
      throw new IllegalArgumentException("but must be host:port with a port of 1 to " + HIGHEST);
    }
  }

  /**
   * Reads {@code host:port}.
   *
   * @throws IllegalArgumentException saying what it must be
   */
  static HostPort parse(String text) {
    int colon = text.lastIndexOf(':');
    try {
      return new HostPort(
          text.substring(0, Math.max(0, colon)), Integer.parseInt(text.substring(colon + 1)));
    } catch (NumberFormatException none) {
      throw new IllegalArgumentException("but must be host:port", none);
    }
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
