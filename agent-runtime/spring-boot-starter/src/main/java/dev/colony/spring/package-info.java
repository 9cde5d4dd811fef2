/** Colony in a Spring Boot application; see docs/guides/handles.md. */
package dev.colony.spring;
