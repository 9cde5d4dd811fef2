package dev.colony.blackboard.server;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether a server is older than the release of its line that closes the holes known of it
 * (CVE-2025-49844 and those before it), as far as its version tells: a distribution may have mended
 * its own build without another version.
 */
public final class KnownHoles {

  /** The release of a line from which on it is whole. */
  private record Fixed(int major, int minor, int patch) {
    @Override
    public String toString() {
      return major + "." + minor + "." + patch;
    }
  }

  private static final List<Fixed> REDIS =
      List.of(
          new Fixed(6, 2, 20),
          new Fixed(7, 2, 11),
          new Fixed(7, 4, 6),
          new Fixed(8, 0, 4),
          new Fixed(8, 2, 2));

  private static final List<Fixed> VALKEY =
      List.of(new Fixed(7, 2, 11), new Fixed(8, 0, 6), new Fixed(8, 1, 4));

  private static final Pattern VERSION = Pattern.compile("(\\d{1,6})\\.(\\d{1,6})\\.(\\d{1,6}).*");

  private KnownHoles() {}

  /**
   * What the operator is to be told; empty where nothing is known against the server, or its
   * version cannot be read.
   *
   * @param info the server's answer to {@code INFO}, at least its section {@code server}
   */
  public static Optional<String> of(String info) {
    boolean valkey = field(info, "server_name").equals("valkey");
    String version = field(info, valkey ? "valkey_version" : "redis_version");
    Matcher numbers = VERSION.matcher(version);
    if (!numbers.matches()) {
      return Optional.empty();
    }
    int major = Integer.parseInt(numbers.group(1));
    int minor = Integer.parseInt(numbers.group(2));
    int patch = Integer.parseInt(numbers.group(3));
    List<Fixed> releases = valkey ? VALKEY : REDIS;
    Fixed newest = releases.getLast();
    boolean newerLine = major > newest.major() || major == newest.major() && minor > newest.minor();
    Optional<Fixed> ofLine =
        releases.stream()
            .filter(fixed -> fixed.major() == major && fixed.minor() == minor)
            .findFirst();
    if (newerLine || ofLine.map(fixed -> patch >= fixed.patch()).orElse(false)) {
      return Optional.empty();
    }
    return Optional.of(
        "%s %s has known security holes: use %s or newer, or a package that its distribution patches, such as Debian's redis-server"
            .formatted(
                valkey ? "Valkey" : "Redis",
                version,
                ofLine.map(Fixed::toString).orElseGet(() -> nextLine(releases, major, minor))));
  }

  private static String nextLine(List<Fixed> releases, int major, int minor) {
    return releases.stream()
        .filter(fixed -> fixed.major() > major || fixed.major() == major && fixed.minor() > minor)
        .findFirst()
        .orElseGet(releases::getLast)
        .toString();
  }

  private static String field(String info, String name) {
    return info.lines()
        .filter(line -> line.startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst()
        .orElse("");
  }
}
