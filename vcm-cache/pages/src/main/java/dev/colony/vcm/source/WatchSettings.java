package dev.colony.vcm.source;

import java.time.Duration;

/**
 * How a source is watched.
 *
 * @param debounce how long no further change must have come before changes are told of
 * @param pollInterval how often a tree is looked through of which not all directories can be
 *     watched
 * @param mostDirectories of a tree that are watched
 * @param mostChanges changed files that are remembered; where there are more, the whole source is
 *     looked through
 */
public record WatchSettings(
    Duration debounce, Duration pollInterval, int mostDirectories, int mostChanges) {

  /** Within what systems usually allow (inotify's {@code max_user_watches}). */
  public static final WatchSettings USUAL =
      new WatchSettings(Duration.ofMillis(200), Duration.ofSeconds(10), 20_000, 1_000);

  /** The same with another debounce. */
  public WatchSettings debounce(Duration other) {
    return new WatchSettings(other, pollInterval, mostDirectories, mostChanges);
  }
}
