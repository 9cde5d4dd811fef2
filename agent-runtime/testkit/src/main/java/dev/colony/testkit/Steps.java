package dev.colony.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.client.StepView;
import dev.colony.agent.client.StepView.ActionView;
import dev.colony.inference.Usage;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The steps that an agent has taken, in order, and what a test asserts of them. Each assertion
 * throws an {@link AssertionError} that says what the steps were, and gives the steps back.
 *
 * @param all the steps
 */
public record Steps(List<StepView> all) {

  public Steps {
    all = List.copyOf(all);
  }

  /** Their actions, in the order in which they ended. */
  public List<ActionView> actions() {
    return all.stream().flatMap(step -> step.actions().stream()).toList();
  }

  /** The actions of one key. */
  public List<ActionView> actions(String key) {
    return actions().stream().filter(action -> action.key().equals(key)).toList();
  }

  /**
   * The only action of a key.
   *
   * @throws AssertionError if there is none or more than one
   */
  public ActionView action(String key) {
    List<ActionView> found = actions(key);
    if (found.size() != 1) {
      throw wrong("expected one action " + key + ", there were " + found.size());
    }
    return found.getFirst();
  }

  /** What their model calls took. */
  public Usage usage() {
    return all.stream().map(StepView::usage).reduce(Usage.NONE, Usage::plus);
  }

  /** These were the actions, in this order and no others. */
  public Steps assertActions(String... keys) {
    List<String> were = actions().stream().map(ActionView::key).toList();
    if (!were.equals(Arrays.asList(keys))) {
      throw wrong("expected the actions " + Arrays.toString(keys));
    }
    return this;
  }

  /** The only action of a key was given these parameters: a map, a record or JSON. */
  public Steps assertParameters(String key, Object parameters) {
    return assertJson(key + " was to be given", action(key).parameters(), parameters);
  }

  /** The only action of a key succeeded with this output. */
  public Steps assertOutput(String key, Object output) {
    ActionView action = action(key);
    if (!action.success()) {
      throw wrong(key + " did not succeed");
    }
    return assertJson(key + " was to return", action.output(), output);
  }

  private Steps assertJson(String what, JsonNode was, Object expected) {
    // Read from JSON, so that an int and a long are one number.
    JsonNode json = JsonValues.toJson(expected);
    if (!was.toString().equals(json.toString()) && !was.equals(json)) {
      throw wrong(what + " " + json + ", was " + was);
    }
    return this;
  }

  /** The only action of a key did not succeed, and its error holds this. */
  public Steps assertFailed(String key, String part) {
    ActionView action = action(key);
    if (action.success() || !action.error().orElse("").contains(part)) {
      throw wrong(key + " was to fail with \"" + part + "\"");
    }
    return this;
  }

  /** No step and no action failed. */
  public Steps assertNoFailures() {
    if (failures().findAny().isPresent()) {
      throw wrong("expected no failures: " + failures().collect(Collectors.joining("; ")));
    }
    return this;
  }

  private Stream<String> failures() {
    return Stream.concat(
        all.stream().flatMap(step -> step.error().map(ErrorContext::message).stream()),
        actions().stream()
            .filter(action -> !action.success() && !action.blocked())
            .map(action -> action.key() + ": " + action.error().orElse("no reason is known")));
  }

  /** So many model calls were answered in all. */
  public Steps assertModelCalls(int count) {
    int were = all.stream().mapToInt(StepView::modelCalls).sum();
    if (were != count) {
      throw wrong("expected " + count + " model calls, there were " + were);
    }
    return this;
  }

  /** The model calls took no more than so many tokens, prompts and answers together. */
  public Steps assertTokensAtMost(long most) {
    long were = usage().promptTokens() + usage().completionTokens();
    if (were > most) {
      throw wrong("expected at most " + most + " tokens, there were " + were);
    }
    return this;
  }

  private AssertionError wrong(String what) {
    return new AssertionError(what + "\nthe steps were" + this);
  }

  /** A line for each. */
  @Override
  public String toString() {
    return all.isEmpty()
        ? ": none"
        : all.stream().map(Steps::line).collect(Collectors.joining("\n", "\n", ""));
  }

  private static String line(StepView step) {
    String did =
        step.actions().isEmpty()
            ? "no action"
            : step.actions().stream()
                .map(action ->
                    action.key()
                        + " "
                        + action.parameters()
                        + " -> "
                        + action.status()
                        + " "
                        + action.error().orElse(action.output().toString()))
                .collect(Collectors.joining(", "));
    return "  "
        + step.step()
        + ": "
        + did
        + step.error().map(error -> ", error: " + error.message()).orElse("")
        + step.blocked().map(blocked -> ", waits: " + blocked.reason()).orElse("");
  }
}
