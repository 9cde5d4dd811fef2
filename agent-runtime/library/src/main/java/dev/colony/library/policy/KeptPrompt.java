package dev.colony.library.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.AgentException;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.author.PolicySettings;
import dev.colony.blackboard.Write;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import dev.colony.vcm.PageId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A prompt as it was sent, for people: an entry of the agent's own scope, in the namespace {@value
 * #NAMESPACE}. The latest {@code colony.agent.policy.kept-prompts} steps have theirs, for an hour;
 * a step does not wait until it is written, and one that cannot be written is not there.
 *
 * @param runId of the run
 * @param step of the run, from 0
 * @param name of the model call within the step
 * @param pages that stood behind the system message
 * @param sections in their order, with what each takes and whether something was cut
 * @param usage of the call, which says how much of the prompt the replica had in its cache
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record KeptPrompt(
    String runId,
    @JsonInclude(JsonInclude.Include.ALWAYS) int step,
    String name,
    List<String> pages,
    List<PromptSection> sections,
    Usage usage) {

  /** Where the prompts stand in an agent's scope. */
  public static final String NAMESPACE = "prompts";

  private static final Logger LOG = LoggerFactory.getLogger(KeptPrompt.class);

  public KeptPrompt {
    pages = pages == null ? List.of() : List.copyOf(pages);
    sections = List.copyOf(sections);
  }

  /**
   * The key of its entry; the step that comes as many steps later takes it over.
   *
   * @param kept how many steps have theirs
   */
  public String key(int kept) {
    return "step-" + step % kept + ":" + name;
  }

  /** Keeps a prompt; what names no step, as a call outside any run, is not kept. */
  public static void keep(
      Agent agent, PlanningPrompt prompt, InferenceReply reply, PolicySettings settings) {
    if (settings.policy().keptPrompts() > 0) {
      of(prompt, reply).ifPresent(kept -> kept.write(agent, settings));
    }
  }

  /** A call is named after its run, its step and itself, behind the agent. */
  static Optional<KeptPrompt> of(PlanningPrompt prompt, InferenceReply reply) {
    String[] parts = reply.callId().split("/");
    int last = parts.length - 1;
    if (last < 3 || !parts[last - 1].matches("\\d{1,9}")) {
      return Optional.empty();
    }
    return Optional.of(
        new KeptPrompt(
            parts[last - 2],
            Integer.parseInt(parts[last - 1]),
            parts[last],
            prompt.pages().stream().map(PageId::value).toList(),
            prompt.sections(),
            reply.usage()));
  }

  /** How long a prompt can be looked at. */
  private static final Duration KEPT = Duration.ofHours(1);

  private void write(Agent agent, PolicySettings settings) {
    try {
      agent
          .blackboard(agent.id().scope().namespace(NAMESPACE))
          .write(Write.of(key(settings.policy().keptPrompts()), JsonValues.toJson(this)).ttl(KEPT))
          .whenComplete((written, failure) -> {
            if (failure != null) {
              LOG.debug("the prompt of step {} of {} is not kept", step, runId, failure);
            }
          });
    } catch (AgentException | IllegalArgumentException refused) {
      LOG.debug("the prompt of step {} of {} is not kept", step, runId, refused);
    }
  }
}
