package dev.colony.inference.routing;

import java.net.URI;

/**
 * A server that answers model calls.
 *
 * @param id the name under which its resident pages are reported
 * @param baseUri its address, with or without a trailing {@code /v1}
 * @param node the cluster node that it belongs to
 */
public record Replica(String id, URI baseUri, String node) {}
