package dev.colony.blackboard.redis;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an error that Redis answers means, and what to do about it. Redis puts a code before most of
 * its errors; 6.2 hides it within the text where a script met the error.
 */
record RedisRefusal(Reason reason, String message) {

  private static final Pattern IN_SCRIPT =
      Pattern.compile("^ERR Error running script .*?: @user_script: ?\\d+: (.*)$", Pattern.DOTALL);
  private static final Pattern LINE = Pattern.compile("^@user_script: ?\\d+: ");
  private static final Pattern COMMAND = Pattern.compile("permissions to run the '([^']*)'");

  static RedisRefusal of(String error) {
    String text = withoutScript(error);
    String code = text.split(" ", 2)[0];
    return switch (code) {
      case "LOADING" ->
          new RedisRefusal(
              Reason.LOADING, "Redis is still loading its data; wait, many gigabytes take minutes");
      case "BUSY", "UNKILLABLE" ->
          new RedisRefusal(
              Reason.BUSY,
              "Redis is busy with a script that runs too long; find who sent it, end it with SCRIPT"
                  + " KILL");
      case "OOM" ->
          new RedisRefusal(
              Reason.OUT_OF_MEMORY,
              "the memory of Redis is full; raise maxmemory or delete entries, and keep"
                  + " maxmemory-policy noeviction");
      case "MISCONF" ->
          new RedisRefusal(
              Reason.DISK,
              "Redis cannot write to its disk and refuses writes; see its log, make room or mend"
                  + " the permissions of its directory");
      case "READONLY", "MASTERDOWN" ->
          new RedisRefusal(
              Reason.READ_ONLY,
              "this Redis server is a replica; name its primary, the sentinels or the cluster in"
                  + " the URL, or wait where a failover is under way");
      case "NOREPLICAS" ->
          new RedisRefusal(
              Reason.READ_ONLY,
              "Redis has fewer replicas than its min-replicas-to-write; bring them back or lower"
                  + " it");
      case "CLUSTERDOWN" ->
          new RedisRefusal(
              Reason.CLUSTER_DOWN,
              "the Redis cluster does not serve all its slots; see CLUSTER INFO, bring the missing"
                  + " server back");
      case "TRYAGAIN", "MOVED", "ASK" ->
          new RedisRefusal(
              Reason.CLUSTER_DOWN, "the Redis cluster is moving the data to another server; wait");
      case "NOAUTH" ->
          new RedisRefusal(
              Reason.UNAUTHENTICATED,
              "Redis asks for a password; put it into the URL: redis://user:password@host:port");
      case "WRONGPASS" ->
          new RedisRefusal(
              Reason.UNAUTHENTICATED,
              "Redis does not take this user and password; mend them in the URL");
      case "DENIED" ->
          new RedisRefusal(
              Reason.UNAUTHENTICATED,
              "Redis is in protected mode; set a password there and put it into the URL");
      case "NOPERM" -> forbidden(text);
      case "WRONGTYPE" ->
          new RedisRefusal(
              Reason.LAYOUT,
              "a key of the blackboard holds something else; another program or version writes to"
                  + " this Redis");
      default -> withoutCode(text).orElseGet(() -> unknown(text));
    };
  }

  /** Whether the same command may be taken within seconds; it was not carried out. */
  boolean passesSoon() {
    return switch (reason) {
      case LOADING, READ_ONLY, CLUSTER_DOWN -> true;
      default -> false;
    };
  }

  private static Optional<RedisRefusal> withoutCode(String text) {
    if (text.contains("user executing the script can't")) {
      return Optional.of(forbidden(text));
    }
    if (text.contains("AUTH <password> called without") || text.contains("Client sent AUTH")) {
      return Optional.of(
          new RedisRefusal(
              Reason.UNAUTHENTICATED, "Redis has no password, but the URL gives one; take it out"));
    }
    if (text.contains("max number of clients")) {
      return Optional.of(
          new RedisRefusal(
              Reason.BUSY,
              "Redis has as many clients as it takes; raise its maxclients or end some"));
    }
    if (text.contains("cluster support disabled")) {
      return Optional.of(
          new RedisRefusal(
              Reason.MISCONFIGURED,
              "this server is no member of a cluster; write redis:// in the place of"
                  + " redis-cluster://"));
    }
    return text.contains("nknown command") || text.contains("Unknown Redis command")
        ? Optional.of(
            new RedisRefusal(
                Reason.UNSUPPORTED_VERSION,
                "Redis does not know a command; 6.2 or newer is needed, with no command renamed"))
        : Optional.empty();
  }

  private static RedisRefusal unknown(String text) {
    return new RedisRefusal(
        Reason.INTERNAL, "Redis refuses: " + text.lines().findFirst().orElse("without a reason"));
  }

  private static RedisRefusal forbidden(String text) {
    Matcher command = COMMAND.matcher(text);
    String what;
    if (command.find()) {
      what = "run the command " + command.group(1).toUpperCase(Locale.ROOT);
    } else if (text.contains("channel")) {
      what = "use a channel under colony:";
    } else if (text.contains("key")) {
      what = "touch a key under colony:";
    } else {
      what = "run a command within a script";
    }
    return new RedisRefusal(
        Reason.FORBIDDEN,
        "the Redis user may not " + what + "; grant it what docs/concepts/blackboard.md lists");
  }

  private static String withoutScript(String error) {
    Matcher script = IN_SCRIPT.matcher(error);
    if (!script.matches()) {
      return error;
    }
    String text = LINE.matcher(script.group(1)).replaceFirst("");
    return text.startsWith("-") ? text.substring(1) : text;
  }

  BlackboardException exception(Throwable cause) {
    // Newer servers name the user where they forbid something.
    return new BlackboardException(reason, message, reason == Reason.FORBIDDEN ? null : cause);
  }
}
