package dev.colony.cli;

import dev.colony.agent.AgentId;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.value.ValueMapper;
import dev.colony.cli.CommandOptions.AgentParameter;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.Printable;
import dev.colony.library.policy.PlanningPrompt.KeptPrompt;
import dev.colony.library.policy.PromptSection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows what a planner sent to its model. */
@Command(
    name = "prompt",
    description = {
      "Shows the planning prompt of a step, section by section: what each takes, what was cut, and"
          + " how much of the prompt the replica had in its cache.",
      "The latest steps have theirs, for an hour.",
    })
final class AgentsPromptCommand extends StoreCommand {

  /** As many as a policy keeps at most. */
  private static final int MOST = 10_000;

  /** What {@code --json} prints. */
  record Prompts(AgentId agentId, List<KeptPrompt> prompts) {}

  @Mixin private AgentParameter named;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "STEP",
      description = "Of the run that was asked last, from 0 (default: the latest).")
  private Optional<Integer> step;

  @Override
  public Integer call() {
    AgentId agent = named.id();
    List<Entry> latest =
        board
            .ask(
                agent.scope().namespace(KeptPrompt.NAMESPACE),
                opened -> opened.query(Query.keys("step-*").limit(MOST)))
            .entries()
            .stream()
            .sorted(Comparator.comparing(Entry::updatedAt))
            .toList();
    if (latest.isEmpty()) {
      throw CommandFailure.unsuccessful(
          "no prompt of " + agent + " is kept: it has not planned, or not lately");
    }
    List<KeptPrompt> prompts =
        latest.stream()
            .map(entry -> ValueMapper.read(entry.key(), entry.value(), KeptPrompt.class))
            .toList();
    String run = prompts.getLast().runId();
    int wanted = step.orElse(prompts.getLast().step());
    List<KeptPrompt> shown =
        prompts.stream().filter(one -> one.runId().equals(run) && one.step() == wanted).toList();
    if (shown.isEmpty()) {
      throw CommandFailure.unsuccessful(
          "no prompt of step %d of run %s is kept".formatted(wanted, run));
    }
    return json.print(
        new Prompts(agent, shown),
        () -> String.join("\n\n", shown.stream().map(AgentsPromptCommand::text).toList()));
  }

  private static String text(KeptPrompt prompt) {
    StringBuilder text = new StringBuilder();
    text.append(
        "run %s, step %d, call %s: %,d prompt tokens, %,d of them cached, %,d of the reply"
            .formatted(
                prompt.runId(),
                prompt.step(),
                prompt.name(),
                prompt.usage().promptTokens(),
                prompt.usage().cachedTokens(),
                prompt.usage().completionTokens()));
    prompt.pages().forEach(page -> text.append("\n\n--- page ").append(page));
    for (PromptSection section : prompt.sections()) {
      if (!section.text().isEmpty()) {
        text.append(
                "\n\n--- %s (%s, %,d of %,d tokens%s)\n"
                    .formatted(
                        section.name(),
                        section.part().name().toLowerCase(Locale.ROOT),
                        section.sizeTokens(),
                        section.budgetTokens(),
                        section.cut() ? ", cut" : ""))
            .append(Printable.lines(section.text()));
      }
    }
    return text.toString();
  }
}
