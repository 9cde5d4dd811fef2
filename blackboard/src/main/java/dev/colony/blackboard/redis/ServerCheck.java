package dev.colony.blackboard.redis;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether a server can keep what is entrusted to it.
 *
 * @param info its answer to INFO
 */
record ServerCheck(String info) {

  private static final int MAJOR = 6;
  private static final int MINOR = 2;
  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");

  /**
   * Refuses a server that is too old, that throws data away when its memory is full, or that holds
   * only a part of a cluster's data although the URL names one server.
   *
   * @throws BlackboardException with what to do about it
   */
  void refuseUnfit(boolean cluster) {
    Matcher version = VERSION.matcher(field("redis_version"));
    if (!version.matches() || older(version)) {
      throw new BlackboardException(
          Reason.UNSUPPORTED_VERSION,
          "its version is '%s'; %d.%d or newer is needed"
              .formatted(field("redis_version"), MAJOR, MINOR));
    }
    String eviction = field("maxmemory_policy");
    if (!field("maxmemory").equals("0") && !eviction.equals("noeviction")) {
      throw new BlackboardException(
          Reason.MISCONFIGURED,
          "it throws data away when its memory is full (maxmemory-policy "
              + eviction
              + "); set maxmemory-policy noeviction");
    }
    if (!cluster && field("cluster_enabled").equals("1")) {
      throw new BlackboardException(
          Reason.MISCONFIGURED,
          "it is a member of a cluster; write redis-cluster:// in the place of redis://");
    }
  }

  private static boolean older(Matcher version) {
    int major = Integer.parseInt(version.group(1));
    return major < MAJOR || major == MAJOR && Integer.parseInt(version.group(2)) < MINOR;
  }

  private String field(String name) {
    return info.lines()
        .filter(line -> line.startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst()
        .orElse("");
  }
}
