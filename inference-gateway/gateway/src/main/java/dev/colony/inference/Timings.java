package dev.colony.inference;

import java.time.Duration;

/**
 * How long a call took.
 *
 * @param queued until its last attempt was sent
 * @param firstToken from then to the first part of the reply, reasoning included; to the whole
 *     reply where the server sends it at once
 * @param total from submission to the end
 */
public record Timings(Duration queued, Duration firstToken, Duration total) {

  public static final Timings NONE = new Timings(Duration.ZERO, Duration.ZERO, Duration.ZERO);
}
