dependencies {
    api(libs.jackson.databind)
    testImplementation(project(path = ":blackboard", configuration = "testJar"))
    testImplementation(project(":deploy:cli"))
    testImplementation(project(":agent-runtime:testkit"))
    testImplementation(libs.testcontainers)
}

// the tests lay out an image of what a node runs from
tasks.test {
    dependsOn(":deploy:cli:runtimeClassPath")
}
