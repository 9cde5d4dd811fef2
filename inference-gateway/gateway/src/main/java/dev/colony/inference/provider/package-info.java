/**
 * A client of the OpenAI chat-completions protocol over the JDK's HTTP client. One attempt per
 * call: where to send it and whether to try again is decided in {@code
 * dev.colony.inference.gateway}.
 */
package dev.colony.inference.provider;
