package dev.colony.inference;

import dev.colony.vcm.schedule.Sensitivity;

/**
 * A page as a prompt carries it: the text, and the id under which residency is tracked.
 *
 * @param sensitivity the prompt goes to replicas only that may hold it
 */
public record PromptPage(String id, String text, int sizeTokens, Sensitivity sensitivity) {

  /** One that every replica may hold. */
  public PromptPage(String id, String text, int sizeTokens) {
    this(id, text, sizeTokens, Sensitivity.PUBLIC);
  }
}
