package dev.colony.inference.embedded;

/** One chat message of a prompt. */
record Message(String role, String content) {}
