package dev.colony.inference;

/** A page as a prompt carries it: the text, and the id under which residency is tracked. */
public record PromptPage(String id, String text, int sizeTokens) {}
