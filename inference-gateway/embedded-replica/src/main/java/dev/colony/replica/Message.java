package dev.colony.replica;

/** One chat message of a prompt. */
record Message(String role, String content) {}
