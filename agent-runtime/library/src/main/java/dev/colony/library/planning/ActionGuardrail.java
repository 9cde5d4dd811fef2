package dev.colony.library.planning;

import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.Effect;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.key.KeyGlob;
import java.util.List;
import java.util.Optional;

/** Blocks actions, or has a person asked about them, by their keys, their tags and their effect. */
@Registered(
    value = "guardrail.actions",
    summary = "Blocks actions, or asks a person about them, by key, tag and effect.")
public final class ActionGuardrail implements Guardrail {

  /**
   * Which actions. A list that is absent names none.
   *
   * @param block patterns of the keys of actions that are not executed; a star stands for any text
   * @param blockTags tags of such actions
   * @param ask patterns of the keys of actions that a person has to approve
   * @param askTags tags of such actions
   * @param askExternal whether a person has to approve what reaches the world outside
   */
  public record Rules(
      Optional<List<String>> block,
      Optional<List<String>> blockTags,
      Optional<List<String>> ask,
      Optional<List<String>> askTags,
      Optional<Boolean> askExternal) {

    public static final Rules NONE =
        new Rules(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    public Rules {
      block.ifPresent(all -> all.forEach(KeyGlob::new));
      ask.ifPresent(all -> all.forEach(KeyGlob::new));
    }

    public Rules block(String... patterns) {
      return new Rules(Optional.of(List.of(patterns)), blockTags, ask, askTags, askExternal);
    }

    public Rules ask(String... patterns) {
      return new Rules(block, blockTags, Optional.of(List.of(patterns)), askTags, askExternal);
    }

    public Rules askExternal(boolean is) {
      return new Rules(block, blockTags, ask, askTags, Optional.of(is));
    }
  }

  private final Rules rules;

  public ActionGuardrail(Rules rules) {
    this.rules = rules;
  }

  @Override
  public Verdict check(Action action, Optional<ActionDescription> description) {
    if (matches(rules.block(), action) || tagged(rules.blockTags(), description)) {
      return new Verdict.Block(action.key() + " is not allowed to this agent");
    }
    boolean external =
        rules.askExternal().orElse(false)
            && description.filter(one -> one.effect() == Effect.EXTERNAL).isPresent();
    return matches(rules.ask(), action) || tagged(rules.askTags(), description) || external
        ? new Verdict.Ask(action.key() + " is to be approved before it is executed")
        : new Verdict.Allow();
  }

  private static boolean matches(Optional<List<String>> patterns, Action action) {
    return patterns.orElse(List.of()).stream()
        .anyMatch(pattern -> new KeyGlob(pattern).matches(action.key()));
  }

  private static boolean tagged(
      Optional<List<String>> tags, Optional<ActionDescription> description) {
    return description
        .filter(one -> tags.orElse(List.of()).stream().anyMatch(one.tags()::contains))
        .isPresent();
  }
}
