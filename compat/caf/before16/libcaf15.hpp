#pragma once

#include <cstddef>

#include "../libcaf.hpp"

// Images, teams and synchronizations, as gfortran calls them until version 15.

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

int _gfortran_caf_this_image(int distance);
int _gfortran_caf_num_images(int distance, int failed);

// These three get the address of the message's address, unlike all others.
void _gfortran_caf_sync_all(int* stat, char* const* message, std::size_t message_bytes);
void _gfortran_caf_sync_memory(int* stat, char* const* message, std::size_t message_bytes);
void _gfortran_caf_sync_images(int count, const int* images, int* stat, char* const* message,
                               std::size_t message_bytes);

void _gfortran_caf_form_team(int number, caf::TeamOfImages** team, int unused);
void _gfortran_caf_change_team(caf::TeamOfImages** team, int unused);
void _gfortran_caf_end_team(caf::TeamOfImages** unused);
void _gfortran_caf_sync_team(caf::TeamOfImages** team, int unused);
caf::TeamOfImages* _gfortran_caf_get_team(const int* level);
int _gfortran_caf_team_number(caf::TeamOfImages* team);

int _gfortran_caf_image_status(int image, const void* team);
void _gfortran_caf_failed_images(caf::Descriptor* result, const void* team, const int* kind);
void _gfortran_caf_stopped_images(caf::Descriptor* result, const void* team, const int* kind);

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
