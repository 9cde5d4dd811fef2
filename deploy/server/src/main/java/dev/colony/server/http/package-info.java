/**
 * The HTTP API: a table of endpoints over colonies, blackboards and what a node knows of its
 * cluster, served by Pekko HTTP within limits, and OpenAI's and Anthropic's protocols over the
 * gateway and agents. Who may do what is decided by {@link dev.colony.server.Authenticator}. {@code
 * openapi.yaml} describes what is answered; its other form, {@code openapi.json}, is the table of
 * paths, methods, parameters and least roles, to which the classes here give handlers.
 */
package dev.colony.server.http;
