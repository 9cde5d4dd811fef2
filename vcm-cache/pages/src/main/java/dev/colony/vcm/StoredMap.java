package dev.colony.vcm;

import java.time.Instant;

/**
 * A page map as it is listed.
 *
 * @param id of the map
 * @param source where it came from, for people
 * @param files how many files were read
 * @param pages how many it has
 * @param sizeTokens of all of them
 * @param mappedAt when it was stored, by the cluster time
 */
public record StoredMap(
    String id, String source, int files, int pages, long sizeTokens, Instant mappedAt) {}
