package dev.colony.library.prompt;

import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionGroup;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a model calls the actions of an agent, which is the same in all of a prompt: the names of
 * their tools where it calls actions as tools, their keys where it names them in plans. A name that
 * a model gives in another spelling, {@code .} for {@code _}, is understood where it can be of one
 * action only. Immutable.
 */
public final class ActionNames {

  /** Each action is called by its key. */
  public static final ActionNames KEYS = new ActionNames(Map.of(), key -> key);

  private static final int NAME_CHARS = 64;
  private static final Pattern WORD = Pattern.compile("\\w(?:[\\w.:-]*\\w)?");

  private final Map<String, String> byKey;
  private final Function<String, String> others;

  private ActionNames(Map<String, String> byKey, Function<String, String> others) {
    this.byKey = Map.copyOf(byKey);
    this.others = others;
  }

  /** These names by the keys; an action that is not among them is called by its key. */
  public static ActionNames of(Map<String, String> byKey) {
    return new ActionNames(byKey, key -> key);
  }

  /**
   * The names of their tools.
   *
   * @param groups all actions of the agent, offered or not
   * @param taken names of other tools
   */
  static ActionNames tools(List<ActionGroup> groups, Set<String> taken) {
    Map<String, String> names = new LinkedHashMap<>();
    for (ActionGroup group : groups) {
      for (ActionDescription action : group.actions()) {
        names.computeIfAbsent(action.key(), key -> unlike(key, names.values(), taken));
      }
    }
    return new ActionNames(names, ActionNames::plain);
  }

  /** A key in the characters that names of tools may have. */
  private static String plain(String key) {
    String plain = key.replaceAll("[^A-Za-z0-9_-]", "_");
    return plain.substring(0, Math.min(plain.length(), NAME_CHARS));
  }

  /** The same, unlike the names that are taken. */
  private static String unlike(String key, Collection<String> names, Set<String> taken) {
    String plain = plain(key);
    String name = plain;
    for (int i = 2; taken.contains(name) || names.contains(name); i++) {
      String end = "_" + i;
      name = plain.substring(0, Math.min(plain.length(), NAME_CHARS - end.length())) + end;
    }
    return name;
  }

  /** What the model calls an action, be it offered or not. */
  public String of(String key) {
    String name = byKey.get(key);
    return name == null ? others.apply(key) : name;
  }

  /**
   * A text of the agent's author or of the runtime, with the names of the agent's actions for their
   * keys. Not for what comes from elsewhere, which stands as it is.
   */
  public String in(String text) {
    return byKey.isEmpty()
        ? text
        : WORD.matcher(text)
            .replaceAll(
                word -> Matcher.quoteReplacement(byKey.getOrDefault(word.group(), word.group())));
  }
}
