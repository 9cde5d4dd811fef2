package dev.colony.inference.replicas;

import java.net.URI;

/**
 * A server that answers model calls.
 *
 * @param id the name under which its resident pages are reported
 * @param baseUri its address, with or without a trailing {@code /v1}
 * @param node the cluster node that it belongs to
 * @param model that it serves, by its name in {@code colony.inference.models}; empty for the one
 *     that has no name
 */
public record Replica(String id, URI baseUri, String node, String model) {

  /** One of the model that has no name. */
  public Replica(String id, URI baseUri, String node) {
    this(id, baseUri, node, "");
  }
}
