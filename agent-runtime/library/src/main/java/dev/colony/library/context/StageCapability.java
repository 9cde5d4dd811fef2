package dev.colony.library.context;

import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.Scope;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.context.ContextBuilder.ContextRequest;
import dev.colony.library.context.ContextBuilder.PromptContext;
import dev.colony.library.context.StageEvent.StageKind;
import java.util.Objects;
import java.util.Optional;

/**
 * An agent's part on a stage that several agents share: it speaks, acts, thinks and rules under its
 * own name, and its policy is given prompts for its role. Each action happens once, also when it is
 * executed again after a crash.
 */
@Registered(value = "stage", summary = "Takes part in a discussion that all on the stage follow.")
public final class StageCapability extends AgentCapability {

  private static final int MOST_NAME = 64;

  /**
   * The agent's part.
   *
   * @param persona who it is
   * @param role what it is shown
   * @param name by which others are told of it, at most 64 characters; empty for the agent's
   */
  public record Part(String persona, ContextRole role, Optional<String> name) {

    public Part {
      Objects.requireNonNull(persona, "persona");
      Objects.requireNonNull(role, "role");
      name.filter(text -> text.isBlank() || text.length() > MOST_NAME)
          .ifPresent(text -> {
            throw new IllegalArgumentException(
                "a name on a stage has 1 to " + MOST_NAME + " characters, not all blank");
          });
    }
  }

  private final Part part;
  private final Stage stage;
  private final ContextBuilder builder;

  StageCapability(CapabilityContext context, Part part) {
    super(context);
    this.part = part;
    this.stage = new Stage(context.blackboard());
    this.builder = ContextBuilder.of(part.role(), AgentTypes.installed());
  }

  /**
   * A part on the stage of a scope.
   *
   * @param scope one that all agents on the stage share, of a session for instance
   */
  public static CapabilityBlueprint bind(Scope scope, String persona, ContextRole role) {
    return bind(scope, new Part(persona, role, Optional.empty()));
  }

  private static CapabilityBlueprint bind(Scope scope, Part part) {
    return CapabilityBlueprint.of(Blueprint.bind(StageCapability.class, part)).scope(scope);
  }

  /** What stands on the stage, as this agent may see it. */
  public StageProjection project() {
    return stage.project().seenBy(actor());
  }

  /** What its prompt is built from; memory, extra and output format are the caller's to add. */
  public ContextRequest request() {
    return ContextRequest.of(actor(), part.persona(), project());
  }

  /** Its prompt. */
  public PromptContext prompt(ContextRequest request) {
    return builder.build(request);
  }

  @ActionExecutor(summary = "Says something to all on the stage.")
  void speak(@Param("what to say") String text, IdempotencyKey key) {
    enter(StageKind.SPOKE, text, key);
  }

  @ActionExecutor(summary = "Does something that all on the stage see.")
  void act(@Param("what to do, in the third person") String text, IdempotencyKey key) {
    enter(StageKind.ACTED, text, key);
  }

  @ActionExecutor(summary = "Keeps a thought, which no other agent ever reads.")
  void think(@Param("what to think") String text, IdempotencyKey key) {
    enter(StageKind.THOUGHT, text, key);
  }

  @ActionExecutor(summary = "Rules on what was said.")
  void rule(@Param("the verdict and why") String text, IdempotencyKey key) {
    enter(StageKind.VERDICT, text, key);
  }

  private void enter(StageKind kind, String text, IdempotencyKey key) {
    stage.enter(kind, actor(), part.name().orElse(actor()), text, key.value());
  }

  private String actor() {
    return agent().id().name();
  }
}
