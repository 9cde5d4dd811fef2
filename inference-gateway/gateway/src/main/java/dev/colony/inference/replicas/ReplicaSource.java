package dev.colony.inference.replicas;

import java.io.IOException;
import java.net.URI;
import java.util.List;

/** Where the addresses of replicas come from. */
@FunctionalInterface
public interface ReplicaSource {

  /**
   * A server.
   *
   * @param baseUri its address, with or without a trailing {@code /v1}
   * @param draining whether it is about to go: it gets no more calls
   */
  record Address(URI baseUri, boolean draining) {

    /** One that stays. */
    public static Address of(URI baseUri) {
      return new Address(baseUri, false);
    }
  }

  /**
   * All that there are now. May block; asked from one thread.
   *
   * @throws IOException if that cannot be told now: what was known before stays
   */
  List<Address> replicas() throws IOException;

  /** A list that does not change. */
  static ReplicaSource of(List<URI> servers) {
    List<Address> all = servers.stream().map(Address::of).toList();
    return () -> all;
  }
}
