package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.StepJournal;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.util.List;
import java.util.Optional;

/** For iterations that execute nothing. */
public final class NoJournal implements StepJournal {

  @Override
  public Optional<InferenceReply> answered(String name) {
    return Optional.empty();
  }

  @Override
  public void asking(String name, long promptTokens) {}

  @Override
  public void failed(String name, Usage usage) {}

  @Override
  public void answered(String name, InferenceReply reply, boolean paged) {}

  @Override
  public void intend(Action action, boolean retryable) {}

  @Override
  public void begin(Action action, boolean retryable, Optional<String> approval) {}

  @Override
  public ActionResult end(Action action, ActionResult result, Optional<String> approval) {
    return result;
  }

  @Override
  public Optional<ActionCall> ended(String actionId) {
    return Optional.empty();
  }

  @Override
  public Optional<Begun> begun(String actionId) {
    return Optional.empty();
  }

  @Override
  public List<String> approvals() {
    return List.of();
  }

  @Override
  public void emit(String name, JsonNode data) {}

  @Override
  public boolean cancelled() {
    return false;
  }

  @Override
  public void onCancel(Runnable action) {}

  @Override
  public String idempotencyKey(String actionId) {
    return actionId;
  }
}
