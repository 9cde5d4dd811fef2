package dev.colony.blackboard.redis;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.clock.Deadline;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PartitionException;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/**
 * The one place where what Lettuce reports becomes what the blackboard reports: a reason, and one
 * line that says what happened and what to do.
 */
public final class RedisFailure {

  private RedisFailure() {}

  /** A reading command, repeated where the connection breaks, failing with our exception only. */
  static <T> CompletionStage<T> reading(Supplier<CompletionStage<T>> command) {
    return translate(BrokenConnection.survive(command));
  }

  /** The same stage, failing with {@link BlackboardException} only. */
  static <T> CompletionStage<T> translate(CompletionStage<T> stage) {
    return stage.exceptionally(failure -> {
      throw of(failure);
    });
  }

  /** The reason, and what to do, of whatever a stage or a call failed with. */
  public static BlackboardException of(Throwable failure) {
    Throwable cause = BrokenConnection.cause(failure);
    return switch (cause) {
      case BlackboardException already -> already;
      case RedisCommandExecutionException refused ->
          RedisRefusal.of(String.valueOf(refused.getMessage())).exception(refused);
      case RedisCommandTimeoutException late ->
          new BlackboardException(
              Reason.TIMEOUT,
              "Redis has not answered within the command timeout; see whether it is stopped,"
                  + " overloaded or cut off (a write may have happened)",
              late);
      case PartitionException uncovered ->
          new BlackboardException(
              Reason.CLUSTER_DOWN,
              "no server of the Redis cluster has these data at the moment; see CLUSTER INFO",
              uncovered);
      case DecoderException wrapper when wrapper.getCause() != null -> of(beneath(wrapper));
      case SSLException untrusted -> withoutTls(untrusted);
      case IOException broken -> unreachable(broken);
      case RedisException other -> ofLettuce(other);
      case IllegalStateException hungUp when missedTheRefusal(hungUp) -> unreachable(hungUp);
      case RejectedExecutionException closed -> closed(closed);
      case CancellationException closed -> closed(closed);
      default ->
          new BlackboardException(Reason.INTERNAL, "the Redis backend fails: " + cause, cause);
    };
  }

  /**
   * Whether the same command may be taken within seconds: its connection broke, or the server was
   * loading its data, giving way in a failover or missing in its cluster. It may have been carried
   * out only where the connection broke.
   */
  public static boolean passesSoon(Throwable failure) {
    return switch (BrokenConnection.cause(failure)) {
      case IOException broken -> true;
      case RedisConnectionException away -> true;
      case PartitionException uncovered -> true;
      case RedisCommandExecutionException refused ->
          RedisRefusal.of(String.valueOf(refused.getMessage())).passesSoon();
      case RedisException broken -> broken.getCause() instanceof IOException;
      default -> false;
    };
  }

  /**
   * Whether the server hung up in the handshake before Lettuce listened, so that the reason is
   * lost: the channel's handlers are gone by then, and the client says only that. Another dial
   * tells.
   */
  static boolean missedTheRefusal(Throwable failure) {
    return beneath(failure) instanceof IllegalStateException lost
        && "RedisHandshakeHandler not registered".equals(lost.getMessage());
  }

  /**
   * What kept a connection from being made. Lettuce's own words name the URL's user, so they are
   * not kept, only what is beneath them.
   *
   * @param address without user and password
   */
  static BlackboardException connecting(String address, Throwable failure) {
    Throwable beneath = beneath(failure);
    BlackboardException translated = of(beneath);
    String message =
        switch (translated.reason()) {
          case UNREACHABLE ->
              "no Redis answers at %s; start it, or mend the URL (rediss:// where it wants TLS)";
          case TIMEOUT ->
              "Redis at %s does not answer; see whether it is stopped, overloaded or cut off, and"
                  + " with rediss:// whether that is its TLS port";
          default -> "Redis at %s cannot be used: " + translated.getMessage().replace("%", "%%");
        };
    return new BlackboardException(
        translated.reason(),
        message.formatted(address),
        beneath instanceof RedisException && !(beneath instanceof RedisCommandExecutionException)
            ? null
            : translated.getCause());
  }

  /** The stage of an operation on a backend that has been closed. */
  static <T> CompletionStage<T> closed() {
    return CompletableFuture.failedStage(closed(null));
  }

  private static BlackboardException closed(Throwable cause) {
    return new BlackboardException(Reason.CLOSED, "the blackboard is closed", cause);
  }

  /** Lettuce tells these apart by their words only. */
  private static BlackboardException ofLettuce(RedisException failure) {
    if (failure.getCause() != null && failure.getCause() != failure) {
      return of(beneath(failure));
    }
    String words = String.valueOf(failure.getMessage());
    if (words.startsWith("Request queue size exceeded")) {
      return new BlackboardException(
          Reason.BUSY, "too many calls wait for Redis; send fewer at once", failure);
    }
    return words.startsWith("Connection is closed") ? closed(failure) : unreachable(failure);
  }

  private static BlackboardException unreachable(Throwable failure) {
    return new BlackboardException(
        Reason.UNREACHABLE,
        "Redis cannot be reached; see whether it runs and the network lets this process through",
        failure);
  }

  private static BlackboardException withoutTls(SSLException failure) {
    return new BlackboardException(
        Reason.TLS,
        "Redis and this process do not agree on TLS; see whether the URL's port is its TLS port,"
            + " and colony.blackboard.redis.tls ("
            + failure.getMessage()
            + ")",
        failure);
  }

  /** The refusal of a server if there is one beneath, else the innermost cause. */
  private static Throwable beneath(Throwable failure) {
    return refusal(failure)
        .orElseGet(() -> {
          Throwable innermost = failure;
          while (innermost.getCause() != null) {
            innermost = innermost.getCause();
          }
          return innermost;
        });
  }

  /** Of a cluster's servers each fails on its own; Lettuce keeps these failures as suppressed. */
  private static Optional<Throwable> refusal(Throwable failure) {
    if (failure instanceof RedisCommandExecutionException || failure instanceof SSLException) {
      return Optional.of(failure);
    }
    return Stream.concat(Stream.ofNullable(failure.getCause()), Stream.of(failure.getSuppressed()))
        .flatMap(each -> refusal(each).stream())
        .findFirst();
  }

  /**
   * Repeats a command that failed with the connection under it, or that a server could not take in
   * a state that mostly ends soon: it loads its data, a failover is under way, a cluster has lost a
   * server. Lettuce repeats all that were under way on a broken connection but the oldest, which it
   * fails with the connection's error, carried out or not; to a cluster's server that is away it
   * fails them all.
   */
  static final class BrokenConnection {

    /** How long after the first try a command is repeated; the last try takes its own time. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    /**
     * Doubles with each repeat. At once would be too soon: the broken connection still takes it.
     */
    private static final long FIRST_PAUSE_MILLIS = 10;

    private static final int DOUBLINGS = 6;

    private BrokenConnection() {}

    /**
     * @param command must do nothing a second time
     */
    static <T> CompletionStage<T> survive(Supplier<CompletionStage<T>> command) {
      return survive(Deadline.in(PATIENCE), 0, command);
    }

    private static <T> CompletionStage<T> survive(
        Deadline deadline, int repeats, Supplier<CompletionStage<T>> command) {
      return started(command)
          .exceptionallyCompose(failure ->
              RedisFailure.passesSoon(cause(failure)) && !deadline.passed()
                  ? pause(FIRST_PAUSE_MILLIS << Math.min(repeats, DOUBLINGS))
                      .thenCompose(paused -> survive(deadline, repeats + 1, command))
                  : CompletableFuture.failedStage(failure));
    }

    /**
     * On a connection that is closed for good Lettuce throws where it fails the stage otherwise.
     */
    private static <T> CompletionStage<T> started(Supplier<CompletionStage<T>> command) {
      try {
        return command.get();
      } catch (RuntimeException refused) {
        return CompletableFuture.failedStage(refused);
      }
    }

    private static CompletionStage<Void> pause(long millis) {
      return CompletableFuture.runAsync(
          () -> {}, CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS));
    }

    /** What failed, without the wrapping that stages put around it. */
    static Throwable cause(Throwable failure) {
      return failure instanceof CompletionException && failure.getCause() != null
          ? failure.getCause()
          : failure;
    }
  }

  /**
   * What an error that Redis answers means, and what to do about it. Redis puts a code before most
   * of its errors; 6.2 hides it within the text where a script met the error.
   */
  record RedisRefusal(Reason reason, String message) {

    private static final Pattern IN_SCRIPT =
        Pattern.compile(
            "^ERR Error running script .*?: @user_script: ?\\d+: (.*)$", Pattern.DOTALL);
    private static final Pattern LINE = Pattern.compile("^@user_script: ?\\d+: ");
    private static final Pattern COMMAND = Pattern.compile("permissions to run the '([^']*)'");

    static RedisRefusal of(String error) {
      String text = withoutScript(error);
      String code = text.split(" ", 2)[0];
      return switch (code) {
        case "LOADING" ->
            new RedisRefusal(
                Reason.LOADING,
                "Redis is still loading its data; wait, many gigabytes take minutes");
        case "BUSY", "UNKILLABLE" ->
            new RedisRefusal(
                Reason.BUSY,
                "Redis is busy with a script that runs too long; find who sent it, end it with"
                    + " SCRIPT KILL");
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
                "the Redis cluster does not serve all its slots; see CLUSTER INFO, bring the"
                    + " missing server back");
        case "TRYAGAIN", "MOVED", "ASK" ->
            new RedisRefusal(
                Reason.CLUSTER_DOWN,
                "the Redis cluster is moving the data to another server; wait");
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
                Reason.UNAUTHENTICATED,
                "Redis has no password, but the URL gives one; take it out"));
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
}
