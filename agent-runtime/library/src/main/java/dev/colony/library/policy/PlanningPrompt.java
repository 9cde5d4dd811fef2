package dev.colony.library.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.AgentException;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.author.PolicySettings;
import dev.colony.blackboard.Write;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import dev.colony.library.policy.PromptSection.Part;
import dev.colony.vcm.PageId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A planning prompt, section by section. Hooks after {@code PlanningFormat.format} see it, those
 * around may replace it.
 *
 * @param pages that stand behind the system message, before all else
 * @param sections in the order in which they stand in the prompt; some may be empty
 * @param actions that are offered, and therefore may be chosen
 */
public record PlanningPrompt(
    List<PageId> pages, List<PromptSection> sections, ActionTools actions) {

  private static final String BETWEEN = "\n\n";

  /** Sections that are cut last: what was decided. */
  private static final Set<String> DECIDED = Set.of("plan");

  /** Sections that are never cut: what is to be reached, and what is asked. */
  private static final Set<String> WHOLE = Set.of("goals", "ask");

  public PlanningPrompt {
    pages = List.copyOf(pages);
    sections = sections.stream().sorted(Comparator.comparing(PromptSection::part)).toList();
  }

  /** The system message: who the model speaks for, its rules and its actions. */
  public String system() {
    return text(Part.CONSTANT);
  }

  /** What stands behind the pages: a message for each part that has something to say. */
  public List<ChatMessage> messages() {
    List<ChatMessage> messages = new ArrayList<>();
    for (Part part : List.of(Part.GIVEN, Part.GROWING, Part.CHANGING)) {
      String text = text(part);
      if (!text.isEmpty()) {
        messages.add(new ChatMessage.User(text));
      }
    }
    return messages;
  }

  /** The sections of a part that have something to say, a blank line between two. */
  public String text(Part part) {
    return sections.stream()
        .filter(one -> one.part() == part)
        .map(PromptSection::text)
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(BETWEEN));
  }

  /** All of it as a server reads it: tools, system message, names of pages, messages. */
  public String text() {
    Stream<String> pageNames = pages.stream().map(PageId::value);
    return Stream.of(
            Stream.of(text(Part.TOOLS), text(Part.CONSTANT)),
            pageNames,
            Stream.of(text(Part.GIVEN), text(Part.GROWING), text(Part.CHANGING)))
        .flatMap(parts -> parts)
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(BETWEEN));
  }

  /** The same with one more section at the end of its part. */
  public PlanningPrompt and(PromptSection section) {
    List<PromptSection> more = new ArrayList<>(sections);
    more.add(section);
    return new PlanningPrompt(pages, more, actions);
  }

  /** The same with other sections in place of those of the tools and the actions. */
  public PlanningPrompt withActions(List<PromptSection> others) {
    Stream<PromptSection> kept =
        sections.stream()
            .filter(one -> !one.name().equals("tools") && !one.name().equals("actions"));
    return new PlanningPrompt(pages, Stream.concat(kept, others.stream()).toList(), actions);
  }

  /**
   * The same with so many tokens fewer, as far as it can be. The longest sections that grow or
   * change are cut first, of what grows the oldest lines; then pages are left out from the end, and
   * a line names how many; then the input of the run and the plan are cut. Goals, the question,
   * system message and tools stay whole.
   *
   * @param pageTokens how many tokens a page has; only asked where pages have to go
   */
  public PlanningPrompt shorter(long tokens, ToLongFunction<PageId> pageTokens) {
    if (tokens <= 0) {
      return this;
    }
    List<PromptSection> all = new ArrayList<>(sections);
    long left = tokens - cut(all, PlanningPrompt::passes, tokens);
    List<PageId> kept = new ArrayList<>(pages);
    if (left > 0 && !kept.isEmpty()) {
      while (left > 0 && !kept.isEmpty()) {
        left -= pageTokens.applyAsLong(kept.removeLast());
      }
      String note =
          "[%d of %d pages do not fit]".formatted(pages.size() - kept.size(), pages.size());
      int size = TextBudget.count(note);
      all.addFirst(new PromptSection("pages", Part.CHANGING, note, size, size, true));
    }
    cut(all, one -> one.part() == Part.GIVEN || DECIDED.contains(one.name()), left);
    return new PlanningPrompt(kept, all, actions);
  }

  private static boolean passes(PromptSection one) {
    return (one.part() == Part.GROWING || one.part() == Part.CHANGING)
        && !DECIDED.contains(one.name());
  }

  /**
   * Cuts some of the sections, the longest to one length.
   *
   * @return by how many tokens
   */
  private static long cut(List<PromptSection> all, Predicate<PromptSection> some, long tokens) {
    List<PromptSection> longest =
        all.stream()
            .filter(one -> some.test(one) && !WHOLE.contains(one.name()))
            .sorted(Comparator.comparing(PromptSection::sizeTokens).reversed())
            .toList();
    long sum = 0;
    int most = 0;
    for (int i = 0; i < longest.size() && tokens > 0; i++) {
      sum += longest.get(i).sizeTokens();
      most = (int) Math.max(0, Math.floorDiv(sum - tokens, i + 1));
      if (i + 1 == longest.size() || most >= longest.get(i + 1).sizeTokens()) {
        break;
      }
    }
    long cut = 0;
    for (int i = 0; i < all.size() && tokens > 0; i++) {
      PromptSection one = all.get(i);
      if (longest.contains(one) && one.sizeTokens() > most) {
        all.set(i, one.cut(most));
        cut += one.sizeTokens() - all.get(i).sizeTokens();
      }
    }
    return cut;
  }

  /**
   * How much of a prompt is the beginning of the one before, which a server's prefix cache need not
   * compute again: 0 to 1, in characters; 1 for an empty one.
   */
  public static double shared(String before, String now) {
    int most = Math.min(before.length(), now.length());
    int same = 0;
    while (same < most && before.charAt(same) == now.charAt(same)) {
      same++;
    }
    return now.isEmpty() ? 1 : (double) same / now.length();
  }

  /**
   * A prompt as it was sent, for people: an entry of the agent's own scope, in the namespace
   * {@value #NAMESPACE}, with the run and {@code step-N} as its tags. The latest {@code
   * colony.agent.policy.kept-prompts} steps have theirs, for an hour; a step does not wait until it
   * is written, and one that cannot be written is not there.
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
            .write(
                Write.of(key(settings.policy().keptPrompts()), JsonValues.toJson(this))
                    .tags(runId, "step-" + step)
                    .ttl(KEPT))
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
}
