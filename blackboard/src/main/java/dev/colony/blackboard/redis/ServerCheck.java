package dev.colony.blackboard.redis;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import java.util.Optional;
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
   * Refuses a server that is too old, that throws data away when its memory is full, that keeps
   * nothing over a restart, or that holds only a part of a cluster's data although the URL names
   * one server.
   *
   * @param allowNoAof whether one may be used that writes no append-only file
   * @throws BlackboardException with what to do about it
   */
  void refuseUnfit(boolean cluster, boolean allowNoAof) {
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
    if (!allowNoAof && field("aof_enabled").equals("0")) {
      throw new BlackboardException(
          Reason.MISCONFIGURED,
          "it keeps nothing over a restart (appendonly no); set appendonly yes, there and in its"
              + " file, or colony.blackboard.redis.allow-no-aof = true to lose all of it");
    }
    if (!cluster && field("cluster_enabled").equals("1")) {
      throw new BlackboardException(
          Reason.MISCONFIGURED,
          "it is a member of a cluster; write redis-cluster:// in the place of redis://");
    }
  }

  /**
   * What to tell the operator of a server that acknowledges what none of its replicas has yet;
   * empty where it has none, or they are waited for.
   *
   * @param waited how many replicas this process waits for
   */
  Optional<String> unwaitedReplicas(int waited) {
    boolean atRisk =
        waited == 0
            && !field("connected_slaves").equals("0")
            && !field("connected_slaves").isEmpty()
            && field("min_slaves_good_slaves").isEmpty();
    return atRisk
        ? Optional.of(
            "Redis has replicas and acknowledges before they have it: one that is promoted may lack"
                + " it. Set colony.blackboard.redis.wait-replicas, or its min-replicas-to-write;"
                + " see docs/operations/faults.md")
        : Optional.empty();
  }

  private static boolean older(Matcher version) {
    int major = Integer.parseInt(version.group(1));
    return major < MAJOR || major == MAJOR && Integer.parseInt(version.group(2)) < MINOR;
  }

  /** A field of the answer; empty where it is not there. */
  String field(String name) {
    return info.lines()
        .filter(line -> line.startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst()
        .orElse("");
  }
}
