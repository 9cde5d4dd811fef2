package dev.colony.server;

import dev.colony.blackboard.value.Text;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who did what: a line for each call that changes something or was to, and for each change of the
 * keys, on a logger of its own, {@value #NAME}. Its parts are pairs of key and value, which a log
 * as JSON has as {@code kvpList}. No line is left out; how many there are is bounded by the rate of
 * requests, and how long one is by {@value #MOST_CHARACTERS} characters of each value.
 */
public final class AuditLog {

  /** Of the logger. */
  public static final String NAME = "dev.colony.audit";

  private static final Logger LOG = LoggerFactory.getLogger(NAME);
  private static final int MOST_CHARACTERS = 300;

  private AuditLog() {}

  /**
   * A call that changes something.
   *
   * @param action the operation of the API, of MCP with the tool behind it
   * @param target the path that was called
   * @param request its id, which the caller was told, too
   */
  public record Action(Principal who, String action, String target, String request) {

    /** The same under the id that its answer has already. */
    public Action under(String id) {
      return new Action(who, action, target, id);
    }

    /**
     * Tells it.
     *
     * @param status of HTTP that it was answered with
     */
    public void answered(int status) {
      LOG.atInfo()
          .addKeyValue("who", line(who.title()))
          .addKeyValue("tenant", who.tenant())
          .addKeyValue("role", who.role().word())
          .addKeyValue("action", line(action))
          .addKeyValue("target", line(target))
          .addKeyValue("status", status)
          .addKeyValue("request", line(request))
          .log("{} {}", line(action), status);
    }
  }

  /** The keys that the nodes take have changed; whoever may write the file has done that. */
  static void keysChanged(KeyRing before, KeyRing now) {
    Map<String, KeyRing.AccessKey> old = byName(before);
    Map<String, KeyRing.AccessKey> young = byName(now);
    LOG.atInfo()
        .addKeyValue("action", "changeKeys")
        .addKeyValue("added", names(young, name -> !old.containsKey(name)))
        .addKeyValue("removed", names(old, name -> !young.containsKey(name)))
        .addKeyValue(
            "changed",
            names(young, name -> old.containsKey(name) && !old.get(name).equals(young.get(name))))
        .log("the file of keys has changed, and holds {} keys", young.size());
  }

  private static Map<String, KeyRing.AccessKey> byName(KeyRing ring) {
    return ring.keys().stream()
        .collect(Collectors.toMap(key -> key.principal().name(), Function.identity()));
  }

  private static String names(Map<String, KeyRing.AccessKey> keys, Predicate<String> which) {
    return line(keys.keySet().stream().filter(which).sorted().collect(Collectors.joining(", ")));
  }

  /** Without what would end a value in a log as text. */
  private static String line(String text) {
    return Text.line(text.replace('"', '\''), MOST_CHARACTERS);
  }
}
